// Holds documents against a schema of topk-cts by Ajv, which is not ours, and the schema against the documents:
//
//   node validate.mjs AJV SCHEMA hold FILE...    each document is valid
//   node validate.mjs AJV SCHEMA break FILE...   and each spoiled one is not, so that the schema says something
//
// AJV is the folder that scripts/get-ajv filled. A file that ends in .jsonl has a document a line. `break' spoils each
// kind of member that it meets: it is taken away, of another type, another word, negative; and an unknown one is added.
// It also says which members of the schema it never met. Prints what is wrong; exit code 1 if anything is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

// Members that may be missing. All others have to be there.
const optional = {
    log: `again.behind again.expectation case.by case.call case.cause case.clause case.crash case.expectation case.findings
        case.guess case.observations case.position case.readings case.reason case.repeat case.sequence case.window
        contract.name contract.source crash.address crash.outside end.early finding.actual finding.at finding.byte
        finding.expected finding.tensor frame.symbol frame.symbol_offset gate.allow_expired gate.max_restarts gate.max_unclean gate.min_supported
        gate.require header.chaos
        header.contained header.contract header.expectations header.gate header.guard_pages header.merged
        header.revision header.shard shard.costs shard.rule header.variables log-backend.command part.build_id part.package part.path part.problem part.sha256
        part.version process.reason shrunk.by shrunk.call shrunk.cause shrunk.clause shrunk.crash shrunk.guess shrunk.readings
        shrunk.findings shrunk.observations shrunk.position shrunk.reason shrunk.sequence shrunk.window`,
    report: `asked-gate.expired bug-example.replay bug-report.clause cause.bug cause.clause cause.grade cause.promise cell.axis cell.k cell.layout cell.rank cell.type
        contract.name contract.source crash-report.address crash-report.outside example-output.differs example-output.expected example.crash example.one-of example.outputs
        example.position example.replay example.sequence frame.symbol frame.symbol_offset named-part.build_id named-part.package named-part.path
        named-part.problem named-part.sha256 named-part.version report.against report.contract report.early
        shrunk-example.crash shrunk-example.one-of shrunk-example.outputs shrunk-example.position
        shrunk-example.replay shrunk-example.sequence size-times.both times.90%-below times.99%-below times.all-below
        times.half-below times.slowest times.slowest-case`,
    compare: "change-group.replay comparison.parts-only-in comparison.probes-only-in comparison.time",
    bench: "bench-row.bare bench-row.bare-ratio",
    statement: `asked-gate.expired contract.name contract.source named-part.build_id named-part.package named-part.path
        named-part.problem named-part.sha256 named-part.version statement.contract statement.guard_pages statement.shards`,
};

// Members that take any text. The words of all others are known, or have a form.
const free = {
    log: `case.cause case.id case.reason contract.name contract.rules contract.source element.value finding.place finding.sentence frame.module frame.symbol
        gate.require header.chaos
        header.contained header.expectations header.profile header.replay header.revision header.selections header.suite header.variables log-backend.command
        log-backend.device log-backend.driver log-backend.features log-backend.name log-backend.spec
        log-backend.version log-backend.worker output.value part.name part.package part.path part.problem part.version crash.signal probe.detail probe.value shrunk.cause fresh.id process.reason shrunk.id
        shrunk.reason`,
    report: `again-report.sentence processes.sentence bug-example.id bug-example.replay bug-fresh.sentence bug-report.about bug-report.cause bug-report.condition bug-report.order bug-report.sentence against.* against.log example.runs shrunk-example.runs named-part.name named-part.package
        named-part.path named-part.problem
        named-part.title named-part.version report.tested
        cause.cause cause.promise cell.axis cell.k cell.layout cell.rank cell.type clause-report.declared
        clause-report.follows clause-report.open clause-report.sentence clause-report.sentences clause-test.name
        contract.name contract.rules contract.source
        crash-report.sentence crash-report.signal crash-report.trace example-finding.actual example-finding.expected example-finding.place
        example-finding.sentence example.id example.reason document-report.edition document-report.language document-report.page document-report.title
        example.replay facet-report.classes facet-report.title
        frame.module frame.symbol observed-report.sentence output.value probe-report.detail probe-report.value report.backend
        report.judged report.lead report.sentence required.word run.replay sentence-report.id
        sentence-report.page sentence-report.reason sentence-report.section sentence-report.words shrunk-example.id shrunk-example.reason shrunk-example.replay
        slow-case.id times.slowest-case wording.words run.*`,
    compare: `change-group.after change-group.before change-group.cases change-group.replay change-group.test
        changed-fact.after changed-fact.before changed-part.after changed-part.before changed-part.name changed-part.title
        changed-probe.after changed-probe.before compared-run.log
        compared-run.name compared-run.* kind-of-change.name test-speed.test`,
    bench: "bench.suite bench.processor bench.notes bench-party.about bench-party.name bench-party.version bench-peer.peer",
    statement: `contract.name contract.rules contract.source processes.sentence named-part.name named-part.package named-part.path named-part.problem
        named-part.title named-part.version required.word statement-backend.command statement-backend.device statement-backend.driver statement-backend.features
        statement-backend.name statement-backend.spec statement-backend.version statement-backend.worker
        statement-probe.value statement-profile.name statement.revision statement.suite waiver.cause waiver.clause waiver.crash waiver.link
        waiver.mismatch waiver.owner waiver.reason waiver.select waiver.when`,
};

// Members whose text may be empty, although not any.
const blank = { log: "", report: "document-report.dated document-report.sha256 sentence-report.verdict", compare: "", bench: "", statement: "" };

// Numbers that may be negative.
const signed = { log: "finding.byte", report: "", compare: "", bench: "", statement: "" };

// Members that may be in no document, as no version writes them any more or they depend on the machine.
const unmet = {
    log: "header.chaos part.problem part.version shrunk.by",
    report: "named-part.problem named-part.version",
    compare: "",
    bench: "bench-row.bare bench-row.bare-ratio",
    statement: "named-part.problem named-part.version",
};

const [ajvFolder, schemaFile, mode, ...files] = process.argv.slice(2);
const require = createRequire(join(resolve(ajvFolder), "node_modules", "from-here.js"));
const Ajv = require("ajv/dist/2020").default;
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
const name = schema.$id.split(":")[3];
const ajv = new Ajv({ strict: true, strictRequired: false });
const validate = ajv.compile(schema);
// the words of a table for this schema; kept, as each member of each document asks for them
const lists = new Map();
function list(table) {
    if (!lists.has(table)) lists.set(table, new Set(table[name].split(/\s+/).filter((word) => word !== "")));
    return lists.get(table);
}

let wrong = 0;
function complain(text) {
    wrong++;
    if (wrong <= 20) console.log(`  ${text}`);
}

// each document of a file, with its place
function* documents(file) {
    const text = readFileSync(file, "utf8");
    if (!file.endsWith(".jsonl")) {
        yield [file, JSON.parse(text)];
        return;
    }
    let number = 0;
    for (const line of text.split("\n")) {
        number++;
        if (line !== "") yield [`${file}:${number}`, JSON.parse(line)];
    }
}

const says = () => validate.errors.map((error) => `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`).join("; ");

// Calls seen(OBJECT TYPE, MEMBER, OBJECT) for each member of each object in a document that the schema describes, and
// describe(OBJECT TYPE, ITS SCHEMA) for the object.
function walk(part, type, value, seen, describe) {
    if (part.$ref !== undefined) {
        type = part.$ref.slice("#/$defs/".length);
        walk(schema.$defs[type], type, value, seen, describe);
        return;
    }
    if (part.oneOf !== undefined && part.properties === undefined) {
        const branch = part.oneOf.find((one) => schema.$defs[one.$ref.slice("#/$defs/".length)].properties.record.const === value.record);
        if (branch !== undefined) walk(branch, type, value, seen, describe);
        return;
    }
    if (Array.isArray(value)) {
        for (const item of value) walk(part.items, type, item, seen, describe);
        return;
    }
    if (part.properties === undefined || typeof value !== "object") return;
    describe(type, value);
    for (const member of Object.keys(value)) {
        seen(type, member, value);
        if (part.properties[member] !== undefined) {
            walk(part.properties[member], type, value[member], seen, describe);
        }
    }
}

function hold() {
    let count = 0;
    for (const file of files) {
        for (const [place, document] of documents(file)) {
            count++;
            if (!validate(document)) complain(`${place}: ${says()}`);
        }
    }
    if (count === 0) complain("there is no document");
    console.log(`${count} documents are held against ${schema.$id}`);
}

// what a member may not be
function spoiled(type, member, value) {
    const known = list(free);
    const isFree = known.has(`${type}.${member}`) || known.has(`${type}.*`);
    const values = [null, value === true ? "true" : true];
    if (typeof value === "boolean") values.splice(1, 1, "true", 1);
    if (typeof value === "number") {
        values.push("many");
        if (!list(signed).has(`${type}.${member}`)) values.push(-1);
    }
    if (typeof value === "string") {
        values.push(-17, [value], { text: value });
        if (!isFree) values.push(`${value}?`, "no such word");
        if (!isFree && !list(blank).has(`${type}.${member}`)) values.push("");
    }
    if (Array.isArray(value)) {
        values.push({}, "list", [null]);
        if (value.length > 0) values.push([...value, 0.5], [...value, { unknown: 1 }]);
        if (typeof value[0] === "string" && !isFree) values.push([...value, "no such word"]);
    } else if (typeof value === "object") {
        values.push([], "object", {}, [value]);
    }
    return values;
}

function spoil() {
    const times = new Map(); // how often each kind of change was made
    const met = new Set();
    const mayMiss = list(optional);
    let made = 0;
    for (const file of files) {
        for (const [place, document] of documents(file)) {
            // key: what kind of change it is, of which three are made
            const again = (key, text, change, undo) => {
                if ((times.get(key) ?? 0) >= 3) return;
                times.set(key, (times.get(key) ?? 0) + 1);
                made++;
                change();
                if (validate(document)) complain(`${place}: valid although ${text()}`);
                undo();
            };
            const seen = (type, member, object) => {
                const value = object[member];
                met.add(`${type}.${member}`);
                if (!mayMiss.has(`${type}.${member}`)) {
                    again(`${type}.${member}`, () => `${type}.${member} is missing`, () => delete object[member], () => (object[member] = value));
                }
                for (const [number, other] of spoiled(type, member, value).entries()) {
                    again(`${type}.${member} ${typeof value} ${number}`, () => `${type}.${member} is ${JSON.stringify(other)?.slice(0, 40)}, not ${JSON.stringify(value).slice(0, 40)}`,
                        () => (object[member] = other), () => (object[member] = value));
                }
            };
            const describe = (type, object) => {
                again(type, () => `${type} has an unknown member`, () => (object.unknown = 1), () => delete object.unknown);
            };
            walk(schema, "", document, seen, describe);
        }
    }
    const all = new Set();
    for (const [type, part] of Object.entries(schema.$defs)) {
        for (const member of Object.keys(part.properties ?? {})) {
            const path = `${type}.${member}`;
            all.add(path);
            if (!met.has(path) && !list(unmet).has(path)) complain(`${path} is in no document`);
            if (part.required.includes(member) === mayMiss.has(path)) {
                complain(`${path} is ${mayMiss.has(path) ? "" : "not "}listed as one that may be missing, and the schema says otherwise`);
            }
            if (part.properties[member].description === undefined) complain(`${path} has no description`);
        }
    }
    for (const path of [...mayMiss, ...list(free), ...list(blank), ...list(unmet)]) {
        if (!all.has(path) && !path.endsWith(".*")) complain(`${path} is not in the schema`);
    }
    if (made < 100) complain(`only ${made} changes were made`);
    console.log(`${made} changes were made to documents of ${schema.$id}, which has ${all.size} members`);
}

if (mode === "hold") hold();
else spoil();
if (wrong > 20) console.log(`  and ${wrong - 20} more`);
process.exit(wrong > 0 ? 1 : 0);
