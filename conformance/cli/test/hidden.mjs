// Hidden characters, by Unicode's tables of Node, which are not those of the suite:
//
//   node hidden.mjs string               prints a text that has some of each kind, and what is no UTF-8
//   node hidden.mjs word                 the same as a word of the worker protocol
//   node hidden.mjs look FILE...         says which files have a hidden character as it is; exit code 1 if any has
//   node hidden.mjs table text.c         holds the table of reports/log/text.c against them
//   node hidden.mjs poison LOG POISONED  a log whose texts have such a text in them, chained anew
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;

// what is UTF-8; the sign of a formula comes first
const text =
    "=1+1\u202Eevil\u202C\u2066x\u2069\u200E\u200F\u061C\u200B\u200D\u2060\uFEFF\u2028\u2029\u00AD\u034F\u115F\u3164\uFE0F" +
    "\uFFF9\u180E\u{E0041}\u{1D173}\u0085\u009B31m\u001B[31m\u001B]0;title\u0007\u0008\u007F<b>&amp;\"'`|@x\r\n::error::x";
// a byte alone, too long, a surrogate, beyond the last, cut
const bytes = [0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xe2, 0x80];
const whole = Buffer.concat([Buffer.from(text), Buffer.from(bytes), Buffer.from("end")]);

function look(path) {
    const content = readFileSync(path);
    let decoded;
    try {
        decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    } catch {
        return `${path}: this is no UTF-8`;
    }
    const lines = decoded.split("\n");
    for (let i = 0; i < lines.length; i++) {
        const line = lines[i].replaceAll("\t", "").replace(/\r$/, ""); // CSV ends lines with CRLF
        const found = hidden.exec(line);
        if (found !== null) {
            const number = found[0].codePointAt(0).toString(16).padStart(4, "0");
            return `${path}:${i + 1}: U+${number} behind ${JSON.stringify(line.slice(0, found.index).slice(-60))}`;
        }
    }
    return null;
}

function table(path) {
    const rows = /hidden\[\] = \{(.*?)\n\};/s.exec(readFileSync(path, "utf8"))[1];
    const ranges = [...rows.matchAll(/\{(0x[0-9a-f]+), (0x[0-9a-f]+)\}/g)].map((row) => [Number(row[1]), Number(row[2])]);
    const wrong = [];
    for (let i = 1; i < ranges.length; i++) {
        if (ranges[i][0] <= ranges[i - 1][1]) {
            wrong.push(`the table is not in order at ${ranges[i][0].toString(16)}`);
        }
    }
    for (let c = 0; c <= 0x10ffff; c++) {
        if (c >= 0xd800 && c <= 0xdfff) {
            continue; // these are no UTF-8
        }
        if (hidden.test(String.fromCodePoint(c)) !== ranges.some(([first, last]) => c >= first && c <= last)) {
            wrong.push(`U+${c.toString(16).padStart(4, "0")}`);
        }
    }
    return wrong;
}

// Texts that anybody may have written; others are words of the log.
const free = new Set(
    `name version device driver features spec command worker replay reason detail symbol module package path problem
    source revision suite profile`.split(/\s+/)
);

// where a form or a length is asked for
const short = new Set(["symbol", "module", "detail"]);

function poison(value, key) {
    if (typeof value === "string") {
        return free.has(key) && value !== "" ? `${short.has(key) ? "\u202Eevil\u200B" : text}${value}` : value; // "" says that there is none
    }
    if (Array.isArray(value)) {
        return value.map((item) => (key === "selections" ? `${text}${item}` : poison(item, key)));
    }
    if (value !== null && typeof value === "object") {
        const change = value.record === "probe" ? ["detail"] : null;
        return Object.fromEntries(
            Object.entries(value).map(([name, item]) => [name, change !== null && !change.includes(name) ? item : poison(item, name)])
        );
    }
    return value;
}

function poisonLog(from, to) {
    let chain = "";
    let out = "";
    for (const line of readFileSync(from, "utf8").split("\n")) {
        if (line === "") {
            continue;
        }
        const { chain: before, ...record } = JSON.parse(line);
        // a number with a point stays one
        const reals = Object.fromEntries([...line.matchAll(/"(timeout|limit)":([0-9]+\.[0-9]+)/g)].map((m) => [m[1], m[2]]));
        const body = JSON.stringify(poison(record))
            .slice(0, -1)
            .replace(/"(timeout|limit)":([0-9]+)/g, (all, key) => `"${key}":${reals[key] ?? all.split(":")[1]}`);
        chain = createHash("sha256").update(chain).update(body).digest("hex");
        out += `${body},"chain":"${chain}"}\n`;
    }
    writeFileSync(to, out);
}

const [mode, ...names] = process.argv.slice(2);
if (mode === "string") {
    process.stdout.write(whole);
} else if (mode === "word") {
    const plain = (byte) => byte > 0x20 && byte < 0x7f && !"%,=".includes(String.fromCharCode(byte));
    const hex = (byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`;
    process.stdout.write([...whole].map((byte) => (plain(byte) ? String.fromCharCode(byte) : hex(byte))).join(""));
} else if (mode === "poison") {
    poisonLog(...names);
} else {
    const wrong = mode === "table" ? table(names[0]) : names.map(look).filter((said) => said !== null);
    if (wrong.length > 0) {
        console.log(wrong.slice(0, 20).join("\n"));
        process.exit(1);
    }
}
