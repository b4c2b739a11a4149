// Holds SARIF files against the schema of SARIF 2.1.0 by Ajv, neither of which is ours:
//
//   node sarif.mjs AJV SCHEMA FILE...
//
// AJV is the folder that scripts/get-ajv filled. Prints what is wrong; exit code 1 if anything is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [folder, schemaFile, ...files] = process.argv.slice(2);
const Ajv = createRequire(join(resolve(folder), "node_modules", "x"))("ajv").default;
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
// It is of draft 4, of which Ajv knows no more than what later drafts kept; it uses nothing else but `id'.
delete schema.$schema;
delete schema.id;
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(schema);
for (const file of files) {
    if (!validate(JSON.parse(readFileSync(file, "utf8")))) {
        process.exitCode = 1;
        for (const error of validate.errors.slice(0, 10)) {
            console.log(`${file}: ${error.instancePath} ${error.message}`);
        }
    }
}
