// Format, lint, types, import directions, long functions, complete connectors, dead code. Each prints its time; the first failure decides the exit code.
import { spawnSync } from 'node:child_process'

const steps: [name: string, command: string, args: string[]][] = [
  ['format', 'biome', ['check', '.']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings', '.']],
  ['types', 'tsc', ['-b', '.']],
  ['imports', process.execPath, ['scripts/import-rules.ts']],
  ['functions', process.execPath, ['scripts/long-functions.ts']],
  ['connectors', process.execPath, ['scripts/check-connectors.ts']],
  ['dead code', 'knip', ['--no-progress']],
]

let failed = false
const begin = Date.now()
for (const [name, command, args] of steps) {
  const started = Date.now()
  const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${run.status === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(10)} ${seconds} s`)
  if (run.status !== 0) {
    failed = true
    console.log(`${run.stdout}${run.stderr}${run.error ? String(run.error) : ''}`.slice(-20_000))
  }
}
console.log(`checked in ${((Date.now() - begin) / 1000).toFixed(1)} s (budget 60 s)`)
process.exit(failed ? 1 : 0)
