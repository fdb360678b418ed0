// Runs all checks: format, lint, types, import directions, long functions, complete connectors, linear regular
// expressions, plain language, dead code. Each step prints its time and, if it failed, its output. The exit code is 1
// if any step fails.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

type Step = readonly [name: string, command: string, args: readonly string[]]

/** Two sequences of steps that run in parallel. The steps of the second sequence use one processor each. */
const lines: readonly (readonly Step[])[] = [
  [
    ['format', 'biome', ['check', '.']],
    ['lint', 'oxlint', ['--type-aware', '--deny-warnings', '.']],
    // If two checkers work on one project, they repeat each other's work. Checking two projects at a time takes half
    // the processor time.
    ['types', 'tsc', ['-b', '.', '--checkers', '1', '--builders', '2']],
  ],
  [
    ['imports', process.execPath, ['scripts/import-rules.ts']],
    ['functions', process.execPath, ['scripts/long-functions.ts']],
    ['connectors', process.execPath, ['scripts/check-connectors.ts']],
    ['expressions', process.execPath, ['scripts/check-expressions.ts']],
    ['language', process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/check-language.ts']],
    ['dead code', 'knip', ['--no-progress']],
  ],
]

/** Runs a step; returns whether it passed. */
const passes = async ([name, command, args]: Step): Promise<boolean> => {
  const started = Date.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `It ended with ${code ?? signal}`))
  })
  const [said, complained, failure] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${failure === '' ? 'ok  ' : 'FAIL'} ${name.padEnd(11)} ${seconds} s`)
  if (failure !== '') console.log(`${said}${complained}${failure}`.slice(-20_000))
  return failure === ''
}

const begin = Date.now()
const results = await Promise.all(
  lines.map(async (steps) => {
    const passed: boolean[] = []
    for (const step of steps) passed.push(await passes(step))
    return passed
  }),
)
console.log(`checked in ${((Date.now() - begin) / 1000).toFixed(1)} s (budget 60 s)`)
process.exit(results.flat().every(Boolean) ? 0 : 1)
