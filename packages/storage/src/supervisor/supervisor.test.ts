import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import type { ChildExit, ChildPhase, ChildSpec } from './child-spec.ts'
import { identify, isRunning, type ProcessIdentity, waitForEnd } from './processes.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

type Fixture = { spec: ChildSpec; started: ProcessIdentity[]; events: string[] }

/** A child that is a shell script and counts as ready once it has printed `ready`. */
const shellChild = (name: string, script: string, own: Partial<ChildSpec> = {}, events: string[] = []): Fixture => {
  const started: ProcessIdentity[] = []
  let ready = false
  const spec: ChildSpec = {
    name,
    async spawn() {
      ready = false
      const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('ready')) ready = true
      })
      const identity = identify(child.pid ?? 0)
      if (identity !== undefined) started.push(identity)
      events.push(`spawn ${name}`)
      return child
    },
    probe: async () => ready,
    startTimeoutMs: 10_000,
    stop: [{ signal: 'SIGTERM', waitMs: 5_000 }],
    restart: { baseMs: 10, capMs: 50, maxElapsedMs: 10_000 },
    async dispose() {
      events.push(`dispose ${name}`)
    },
    ...own,
  }
  return { spec, started, events }
}

const sleeper = 'echo ready; exec sleep 300'

const untilPhase = async (supervisor: Supervisor, phase: ChildPhase, minRestarts = 0): Promise<void> => {
  const deadline = Date.now() + 10_000
  for (;;) {
    const state = supervisor.state()[0]
    if (state?.phase === phase && state.restarts >= minRestarts) return
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(state)}, not ${phase}`)
    await pause(5)
  }
}

const start = (): Supervisor => createSupervisor({ logger: silentLogger, metrics: noMetrics })

describe('supervisor', () => {
  it('the supervisor stops its children in reverse order of starting and leaves no process', async () => {
    const events: string[] = []
    const first = shellChild('first', sleeper, {}, events)
    const second = shellChild('second', sleeper, {}, events)
    const supervisor = start()
    await supervisor.add(first.spec)
    await supervisor.add(second.spec)
    expect(supervisor.state().map(({ name, phase }) => [name, phase])).toEqual([
      ['first', 'ready'],
      ['second', 'ready'],
    ])
    await supervisor.stop()
    expect(events).toEqual(['spawn first', 'spawn second', 'dispose second', 'dispose first'])
    expect([...first.started, ...second.started].filter(isRunning)).toEqual([])
    expect(supervisor.state().map(({ phase }) => phase)).toEqual(['stopped', 'stopped'])
  })

  it('the supervisor rejects a failing start with the last output of the child', async () => {
    await using supervisor = start()
    const { spec } = shellChild('broken', 'echo "no such database" >&2; exit 3')
    await expect(supervisor.add(spec)).rejects.toThrow(/broken ended with code 3[^]*no such database/)
    expect(supervisor.state()[0]).toMatchObject({ phase: 'failed', pid: undefined })
  })

  it('the supervisor rejects a start that takes too long and ends the process', async () => {
    await using supervisor = start()
    const { spec, started } = shellChild('slow', 'echo thinking; exec sleep 300', { startTimeoutMs: 200 })
    await expect(supervisor.add(spec)).rejects.toThrow(/not become ready within 200 ms[^]*thinking/)
    expect(started.filter(isRunning)).toEqual([])
  })

  it('the supervisor rejects a start whose program does not exist', async () => {
    await using supervisor = start()
    const { spec } = shellChild('absent', '', {
      spawn: async () => spawn('/does/not/exist', { stdio: ['ignore', 'pipe', 'pipe'] }),
    })
    await expect(supervisor.add(spec)).rejects.toThrow(/absent/)
  })

  it('the supervisor restarts a killed child after recovering, and reports the exit', async () => {
    const events: string[] = []
    const exits: ChildExit[] = []
    await using supervisor = start()
    const { spec, started } = shellChild('child', sleeper, { recover: async () => void events.push('recover') }, events)
    supervisor.onExit((exit) => exits.push(exit))
    await supervisor.add(spec)
    process.kill(started[0]?.pid ?? 0, 'SIGKILL')
    await untilPhase(supervisor, 'ready', 1)
    expect(exits).toEqual([{ name: 'child', code: null, signal: 'SIGKILL', lines: ['ready'] }])
    expect(events).toEqual(['recover', 'spawn child', 'recover', 'spawn child'])
    expect(supervisor.state()[0]).toMatchObject({ restarts: 1, pid: started[1]?.pid })
  })

  it('the supervisor gives up on a child when the restart policy is exhausted, and reports the reason', async () => {
    await using supervisor = start()
    let lives = 0
    const good = shellChild('child', sleeper)
    const bad = shellChild('child', 'echo "disk is gone" >&2; exit 1')
    await supervisor.add({
      ...good.spec,
      spawn: () => (lives++ === 0 ? good.spec.spawn() : bad.spec.spawn()),
      probe: () => (lives === 1 ? good.spec.probe() : bad.spec.probe()),
      restart: { baseMs: 10, capMs: 20, maxElapsedMs: 100 },
    })
    process.kill(good.started[0]?.pid ?? 0, 'SIGKILL')
    await untilPhase(supervisor, 'failed')
    expect(supervisor.state()[0]?.lastError).toContain('disk is gone')
  })

  it('the supervisor kills a child that ignores its stop signal after the deadline', async () => {
    const supervisor = start()
    const { spec, started } = shellChild('stubborn', 'trap "" TERM; echo ready; while :; do sleep 0.05; done', {
      stop: [{ signal: 'SIGTERM', waitMs: 150 }],
    })
    await supervisor.add(spec)
    await supervisor.stop()
    expect(started).toHaveLength(1)
    expect(started.filter(isRunning)).toEqual([])
  })

  it('the supervisor does not wait for a restart delay if it is stopped meanwhile', async () => {
    const supervisor = start()
    const { spec, started } = shellChild('child', sleeper, {
      restart: { baseMs: 60_000, capMs: 60_000, maxElapsedMs: 600_000 },
    })
    await supervisor.add(spec)
    process.kill(started[0]?.pid ?? 0, 'SIGKILL')
    await untilPhase(supervisor, 'backing-off')
    await supervisor.stop()
    expect(started).toHaveLength(1)
    expect(supervisor.state()[0]?.phase).toBe('stopped')
  })

  it('the supervisor ends a child that is still starting when it is stopped', async () => {
    const supervisor = start()
    const { spec, started } = shellChild('child', 'exec sleep 300', { startTimeoutMs: 60_000 })
    const adding = supervisor.add(spec)
    const refused = expect(adding).rejects.toThrow(/is being stopped/)
    await untilPhase(supervisor, 'starting')
    await supervisor.stop()
    await refused
    expect(started.filter(isRunning)).toEqual([])
  })

  it('the supervisor kills and restarts a child that stops responding', async () => {
    await using supervisor = start()
    let hung = false
    const { spec, started } = shellChild('child', sleeper, { watch: { intervalMs: 10, failures: 3 } })
    await supervisor.add({ ...spec, probe: async () => !(hung && started.length === 1) && (await spec.probe()) })
    hung = true
    await untilPhase(supervisor, 'ready', 1)
    expect(started.map(isRunning)).toEqual([false, true])
  })

  it('no child of the supervisor outlives a killed parent', async () => {
    const program = `
      import { spawn } from 'node:child_process'
      import { createSupervisor } from ${JSON.stringify(fileURLToPath(new URL('./supervisor.ts', import.meta.url)))}
      const logger = { debug() {}, info() {}, warn() {}, error() {} }
      await createSupervisor({ logger }).add({
        name: 'child', startTimeoutMs: 5000, probe: async () => true, onParentDeath: 'SIGTERM', stop: [],
        async spawn() {
          const child = spawn('/bin/sleep', ['300'], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
          process.stdout.write(child.pid + '\\n')
          return child
        },
      })
      process.stdout.write('ready\\n')`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let child: ProcessIdentity | undefined
    for await (const line of createInterface({ input: parent.stdout })) {
      if (line === 'ready') break
      child = identify(Number(line))
    }
    if (child === undefined) throw new Error('the parent named no child')
    expect(isRunning(child)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(await waitForEnd(child, 5_000)).toBe(true)
  })
})
