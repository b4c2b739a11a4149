// Runs each step of a CI file on this machine, as far as that goes without the system that it is for:
//
//   node steps.mjs github FOLDER FILE ACTION [NAME=VALUE...]
//   node steps.mjs gitlab FOLDER FILE
//
// FILE and ACTION (of docs/ci/action) are the YAML as JSON. FOLDER/project is the repository; each job gets a copy of
// it. Actions are replaced: a checkout is that copy, artifacts and the cache are folders of FOLDER. NAME=VALUE stands
// for an input of the action. Prints a line `step JOB NAME CODE' a step and `job JOB good|bad' a job; what they print
// goes to FOLDER/log.
import { appendFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";

const [system, folder, file, ...rest] = process.argv.slice(2);
const log = openSync(join(folder, "log"), "a");
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const copy = (from, to) => cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });

const strict = ["-e", "-o", "pipefail"];

// The files of a folder that a pattern with `*' means; a path without one means itself.
function matches(where, pattern) {
    if (!pattern.includes("*")) {
        return existsSync(join(where, pattern)) ? [pattern] : [];
    }
    const form = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
    return existsSync(where) ? readdirSync(where).filter((name) => form.test(name)).sort() : [];
}

// what a shell that fails leaves is 1 or more; a killed one has no code
function bash(script, options, env, cwd) {
    const run = spawnSync("bash", ["--noprofile", "--norc", ...options, "-c", script], {
        cwd, stdio: ["ignore", log, log], env: { ...process.env, ...env },
    });
    return run.status ?? 128;
}

function told(job, name, code) {
    console.log(`step ${job} ${name} ${code}`);
    return code === 0;
}

function workspace(job) {
    const here = join(folder, "job");
    rmSync(here, { recursive: true, force: true });
    copy(join(folder, "project"), here);
    appendFileSync(log, `== ${job} ==\n`);
    return here;
}

// ---- GitHub Actions

// An expression is JavaScript but for a few things that these files do not use.
const value = (text, known) => new Function(...Object.keys(known), `return (${text});`)(...Object.values(known));
const filled = (text, known) => String(text).replace(/\$\{\{(.*?)\}\}/g, (_, inner) => value(inner, known));

// `NAME=VALUE' lines that a step left
const lines = (path) => readFileSync(path, "utf8").split("\n").filter(Boolean);

// Runs steps in a workspace; true if all went well. paths: what they put before PATH; saved: what the cache is to keep
function githubSteps(job, steps, here, given, paths, saved, action) {
    const known = { ...given, steps: {}, runner: { os: "Linux", arch: "X64" }, always: () => true };
    let good = true;
    for (const step of steps) {
        const condition = step.if ?? "true";
        if (!(good || condition.includes("always()")) || !value(condition, known)) {
            continue;
        }
        const name = step.name.replaceAll(" ", "-");
        const parameters = Object.fromEntries(
            Object.entries(step.with ?? {}).map(([key, text]) => [key, filled(text, known)]));
        const [used] = (step.uses ?? "").split("@");
        if (step.run) {
            const [output, path] = ["output", "path"].map((end) => join(folder, `github-${end}`));
            writeFileSync(output, "");
            writeFileSync(path, "");
            const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([key, text]) => [key, filled(text, known)]));
            const code = bash(filled(step.run, known), step.shell ? strict : ["-e"], {
                ...env, GITHUB_OUTPUT: output, GITHUB_PATH: path, GITHUB_WORKSPACE: here,
                GITHUB_STEP_SUMMARY: join(folder, "summary.md"), GITHUB_ACTION_PATH: join(here, "topk-cts/docs/ci/action"),
                PATH: [...paths, process.env.PATH].join(":"),
            }, here);
            good = told(job, name, code) && good;
            paths.unshift(...lines(path));
            known.steps[step.id] = { outputs: Object.fromEntries(lines(output).map((line) => line.split(/=(.*)/s))) };
        } else if (used === "actions/checkout") {
            // the workspace is that
        } else if (used === "actions/cache") {
            const kept = join(folder, "cache", parameters.key);
            const hit = existsSync(kept);
            if (hit) {
                copy(kept, parameters.path);
            } else {
                saved.push([parameters.path, kept]);
            }
            known.steps[step.id] = { outputs: { "cache-hit": String(hit) } };
        } else if (used === "actions/upload-artifact") {
            copy(join(here, parameters.path), join(folder, "artifacts", parameters.name));
        } else if (used === "actions/download-artifact") {
            for (const artifact of matches(join(folder, "artifacts"), parameters.pattern)) {
                copy(join(folder, "artifacts", artifact), join(here, artifact));
            }
        } else if (used === "./topk-cts/docs/ci/action") {
            const inputs = Object.fromEntries(Object.entries(action.inputs).map(([key, input]) => [key, input.default]));
            for (const [key, text] of Object.entries(parameters)) {
                if (!(key in inputs)) {
                    throw new Error(`the action has no input ${key}`);
                }
                inputs[key] = text;
            }
            for (const word of rest.slice(1)) {
                const [key, text] = word.split(/=(.*)/s);
                inputs[key] = key in parameters ? text : inputs[key];
            }
            good = githubSteps(job, action.runs.steps, here, { inputs }, paths, saved, action) && good;
        } else {
            throw new Error(`what does ${step.uses} do?`);
        }
    }
    return good;
}

function github() {
    const results = {};
    for (const [name, job] of Object.entries(read(file).jobs).sort(([, a], [, b]) => Boolean(a.needs) - Boolean(b.needs))) {
        results[name] = true;
        if (job.needs && !results[job.needs] && !(job.if ?? "").includes("always()")) {
            continue;
        }
        const [[key, values] = ["", [""]]] = Object.entries(job.strategy?.matrix ?? {});
        for (const one of values) {
            const here = workspace(`${name} ${one}`);
            const saved = [];
            const good = githubSteps(name + one, job.steps, here, { matrix: { [key]: one } }, [], saved, read(rest[0]));
            for (const [from, to] of good ? saved : []) {
                copy(from, to);
            }
            results[name] &&= good;
        }
        console.log(`job ${name} ${results[name] ? "good" : "bad"}`);
    }
}

// ---- GitLab CI

function gitlab() {
    const jobs = read(file);
    const order = Object.entries(jobs).filter(([name]) => !name.startsWith("."));
    for (const [name, own] of order.sort(([, a], [, b]) => Boolean(a.needs) - Boolean(b.needs))) {
        const job = { ...jobs[own.extends], ...own };
        const count = Number(job.parallel ?? 1);
        let all = true;
        for (let index = 1; index <= count; index++) {
            const here = workspace(`${name} ${index}`);
            const [cached, artifacts] = ["cache-" + job.cache.key, "artifacts"].map((end) => join(folder, end));
            for (const from of [cached, ...(job.needs ? [artifacts] : [])].filter(existsSync)) {
                copy(from, here);
            }
            const env = { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(count) };
            // one shell for both; a line that fails ends it
            const code = bash([...job.before_script, ...job.script].join("\n"), strict, env, here);
            const good = told(`${name}${index}`, "script", code);
            if (job.after_script) {
                told(`${name}${index}`, "after_script", bash(job.after_script.join("\n"), strict, env, here));
            }
            const keep = (paths, to) => {
                for (const path of paths.flatMap((pattern) => matches(here, pattern))) {
                    mkdirSync(dirname(join(to, path)), { recursive: true });
                    copy(join(here, path), join(to, path));
                }
            };
            keep([...job.artifacts.paths, ...Object.values(job.artifacts.reports ?? {})], artifacts);
            if (good) {
                keep(job.cache.paths, cached);
            }
            all &&= good;
        }
        console.log(`job ${name} ${all ? "good" : "bad"}`);
    }
}

({ github, gitlab })[system]();
