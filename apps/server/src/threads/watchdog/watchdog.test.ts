import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eventually } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { blocksFileOf, readBlocks } from './blocks-file.ts'

const entry = fileURLToPath(new URL('./testing/watched-process.ts', import.meta.url))
const endMs = 800

const start = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-watched-'))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, folder, String(endMs)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  const says = (text: string, times = 1): Promise<unknown> => eventually(text, () => output.split(text).length > times)
  await says('ready\n')
  await says('beside is ready')
  return {
    [Symbol.dispose]() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
    pid: child.pid ?? 0,
    ended,
    says,
    output: () => output,
    ask: (line: string): void => void child.stdin.write(`${line}\n`),
    blocks: () =>
      readBlocks(blocksFileOf(folder)).map(({ thread, step, workspaceId, item }) => ({
        thread,
        step,
        workspaceId,
        item,
      })),
  }
}

test.concurrent.each([
  ['a loop', 'block', 'sources.list', 'sources.list'],
  ['a regular expression', 'regex', 'mappings.preview', 'RegExp.test'],
  ['a native call', 'native', 'log.append', 'Atomics.wait'],
])(
  'a main thread that %s blocks is logged with its work and stack, and the process ends with 1',
  async (_title, kind, step, stack) => {
    using watched = await start()
    watched.ask(`${kind} call-7`)
    expect(await watched.ended).toBe(1)
    const line = watched
      .output()
      .split('\n')
      .find((text) => text.includes('"msg":"thread does not answer"'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ thread: 'main', step, workspaceId: 'w1', item: 'call-7' })
    expect(line).toContain(stack === step ? 'watched-process' : stack)
    expect(watched.output()).toContain(`The thread main, which did ${step}, has not answered for`)
    expect(watched.blocks()).toEqual([{ thread: 'main', step, workspaceId: 'w1', item: 'call-7' }])
  },
)

test.concurrent('a replaceable thread is replaced alone, and the process continues', async () => {
  using watched = await start()
  watched.ask('beside')
  await watched.says('beside is ready', 2)
  watched.ask('answer 1')
  await watched.says('answered 1')
  expect(watched.blocks()).toEqual([
    { thread: 'beside', step: 'pipeline.steps', workspaceId: 'w2', item: 'request 3-0' },
  ])
  expect(watched.output()).toContain('thread is ended and started again, since it does not answer')
})

test.concurrent('a process that was stopped for longer than the limit continues, and so does one that is closing', async () => {
  using watched = await start()
  process.kill(watched.pid, 'SIGSTOP')
  await pause(2 * endMs)
  process.kill(watched.pid, 'SIGCONT')
  watched.ask('answer 1')
  await watched.says('answered 1')
  watched.ask('close')
  await watched.says('closed')
  watched.ask('answer 2')
  await watched.says('answered 2')
  expect(watched.output()).not.toContain('does not answer')
  expect(watched.blocks()).toEqual([])
})
