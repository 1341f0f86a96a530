// Runs a program in the engine and prints what came of it as one line: node run.js PROGRAM preview|up
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";

const [program, command] = process.argv.slice(2);
const stack = await LocalWorkspace.createOrSelectStack(
  {
    stackName: "test",
    projectName: "programs",
    program: async () => ({ ...(await import(`./${program}.js`)) }),
  },
  { workDir: process.cwd(), secretsProvider: process.env.SECRETS_PROVIDER },
);

const place = (urn) => urn.split("::").slice(2).join(" ");
const result = { error: "", warnings: "", outputs: {}, steps: {}, state: {} };
const onEvent = ({ resourcePreEvent, diagnosticEvent }) => {
  if (resourcePreEvent) result.steps[place(resourcePreEvent.metadata.urn)] = resourcePreEvent.metadata.op;
  if (diagnosticEvent?.severity === "error") result.error += diagnosticEvent.message;
  if (diagnosticEvent?.severity === "warning") result.warnings += diagnosticEvent.message;
};

try {
  const { outputs } = await stack[command]({ onEvent });
  for (const [name, output] of Object.entries(outputs ?? {})) result.outputs[name] = output.value;
} catch (failure) {
  result.error ||= String(failure);
}
for (const resource of (await stack.exportStack()).deployment.resources ?? []) {
  result.state[place(resource.urn)] = resource;
}
process.stdout.write(`\n${JSON.stringify(result)}\n`);
