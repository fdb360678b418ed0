import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs, type Logger, type Metrics, retryPolicies } from '@tributary/kernel'
import type { ChildExit, ChildPhase, ChildSpec, ChildState } from './child-spec.ts'
import { readOutput } from './output.ts'
import { guardAgainstParentDeath } from './parent-death-guard.ts'

/** Time in ms after which a ready child counts as healthy again: its next restart begins with the shortest delay. */
const stableMs = 30_000

export type ChildRunner = {
  /** Resolves when the child is ready. Throws, with the child's last lines, if it does not become ready. */
  start(): Promise<void>
  /** Ends the child for good, whatever its phase. Never throws. */
  stop(): Promise<void>
  state(): ChildState
}

type Running = {
  child: ChildProcess
  lines: readonly string[]
  exited: Promise<void>
  hasExited: () => boolean
}

type RunnerDeps = {
  logger: Logger
  metrics: Metrics
  onExit: (exit: ChildExit) => void
}

/** Resolves when the process has ended and its output is read, or 200 ms later if a descendant keeps the pipe open. */
const untilEnd = async (child: ChildProcess): Promise<void> => {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => {
      if (child.pid === undefined) resolve()
    })
    if (child.exitCode !== null || child.signalCode !== null) resolve()
  })
  const timer = new AbortController()
  await Promise.race([closed, delay(200, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}

const describeExit = (name: string, child: ChildProcess, lines: readonly string[]): string => {
  const how = child.signalCode === null ? `with code ${child.exitCode}` : `by ${child.signalCode}`
  return `${name} ended ${how}${lines.length === 0 ? '' : `; its last words:\n${lines.join('\n')}`}`
}

const launch = async (spec: ChildSpec, logger: Logger): Promise<Running> => {
  await spec.recover?.()
  const child = await spec.spawn()
  const exited = untilEnd(child)
  const lines = readOutput(child, (line) => logger.debug({ child: spec.name, line }, 'child output'))
  const callOffGuard =
    spec.onParentDeath === undefined || child.pid === undefined
      ? () => {}
      : guardAgainstParentDeath(child.pid, spec.onParentDeath)
  let gone = false
  void exited.then(() => {
    gone = true
    callOffGuard()
  })
  return { child, lines, exited, hasExited: () => gone }
}

const probe = async (spec: ChildSpec): Promise<boolean> => {
  try {
    return await spec.probe()
  } catch {
    return false
  }
}

const waitUntilReady = async (spec: ChildSpec, current: Running, ending: AbortSignal): Promise<void> => {
  const deadline = Date.now() + spec.startTimeoutMs
  let pause = 20
  for (;;) {
    if (ending.aborted) throw new Error(`${spec.name} is being stopped`)
    if (current.hasExited()) throw new Error(describeExit(spec.name, current.child, current.lines))
    if (await probe(spec)) return
    if (Date.now() >= deadline) {
      const last = current.lines.join('\n')
      throw new Error(`${spec.name} did not become ready within ${spec.startTimeoutMs} ms\n${last}`)
    }
    await Promise.race([delay(pause), current.exited])
    pause = Math.min(250, Math.round(pause * 1.3))
  }
}

const end = async (spec: ChildSpec, current: Running): Promise<void> => {
  for (const step of [...spec.stop, { signal: 'SIGKILL', waitMs: 5_000 } as const]) {
    if (current.hasExited()) return
    current.child.kill(step.signal)
    const timer = new AbortController()
    await Promise.race([current.exited, delay(step.waitMs, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
  }
}

/** Resolves when the child has ended. Ends a child that no longer responds to its probe. */
const watch = async (
  spec: ChildSpec,
  current: Running,
  ending: AbortSignal,
  onSilent: (failures: number) => void,
): Promise<void> => {
  if (spec.watch === undefined) return current.exited
  let failures = 0
  while (!current.hasExited()) {
    await Promise.race([delay(spec.watch.intervalMs), current.exited])
    if (current.hasExited() || ending.aborted) break
    failures = (await probe(spec)) ? 0 : failures + 1
    if (failures >= spec.watch.failures) {
      onSilent(failures)
      current.child.kill('SIGKILL')
      break
    }
  }
  return current.exited
}

/**
 * Creates the runner of one child. It starts and watches the child, restarts it with growing delays, and stops it
 * within deadlines.
 */
export const createChildRunner = (spec: ChildSpec, { logger, metrics, onExit }: RunnerDeps): ChildRunner => {
  let phase: ChildPhase = 'idle'
  let since = Date.now()
  let restarts = 0
  let lastError: string | undefined
  let running: Running | undefined
  let firstStart: Promise<Running> | undefined
  let loop: Promise<void> | undefined
  const ending = new AbortController()

  const enter = (next: ChildPhase): void => {
    phase = next
    since = Date.now()
    metrics.gauge('supervisor_child_ready', next === 'ready' ? 1 : 0, { child: spec.name })
  }

  /** Starts the process, and waits until it is ready. If that fails, no process is left running. */
  const bringUp = async (): Promise<Running> => {
    enter('starting')
    const began = Date.now()
    const current = await launch(spec, logger)
    running = current
    try {
      await waitUntilReady(spec, current, ending.signal)
      if (ending.signal.aborted) throw new Error(`${spec.name} is being stopped`)
    } catch (error) {
      await end(spec, current)
      running = undefined
      throw error
    }
    enter('ready')
    lastError = undefined
    metrics.observe('supervisor_child_start', Date.now() - began, { child: spec.name })
    logger.info({ child: spec.name, pid: current.child.pid, ms: Date.now() - began }, 'child is ready')
    return current
  }

  const onSilent = (failures: number): void => {
    lastError = `${spec.name} stopped answering`
    logger.error({ child: spec.name, failures }, 'child does not answer and is killed')
  }

  /** Starts the child repeatedly, with growing delays. Returns undefined if the child is given up or stopped. */
  const restart = async (firstAttempt: number): Promise<Running | undefined> => {
    const policy = spec.restart ?? retryPolicies.engine
    const began = Date.now()
    for (let attempt = firstAttempt; !ending.signal.aborted; attempt += 1) {
      enter('backing-off')
      const pause = backoffMs(policy, attempt)
      if (Date.now() - began + pause > policy.maxElapsedMs) {
        enter('failed')
        logger.error({ child: spec.name, attempts: attempt, error: lastError }, 'child cannot be restarted, given up')
        return undefined
      }
      await delay(pause, undefined, { signal: ending.signal }).catch(() => {})
      if (ending.signal.aborted) return undefined
      restarts += 1
      metrics.count('supervisor_child_restarts', 1, { child: spec.name })
      try {
        return await bringUp()
      } catch (error) {
        lastError = error instanceof Error ? error.message : String(error)
        if (!ending.signal.aborted)
          logger.error({ child: spec.name, attempt, error: lastError }, 'child did not restart')
      }
    }
    return undefined
  }

  const supervise = async (first: Running): Promise<void> => {
    let current: Running | undefined = first
    let attempt = 0
    while (current !== undefined) {
      const readySince = Date.now()
      await watch(spec, current, ending.signal, onSilent)
      running = undefined
      if (ending.signal.aborted) return
      const { child, lines } = current
      lastError ??= describeExit(spec.name, child, lines)
      logger.error({ child: spec.name, code: child.exitCode, signal: child.signalCode }, 'child ended unexpectedly')
      onExit({ name: spec.name, code: child.exitCode, signal: child.signalCode, lines: [...lines] })
      attempt = Date.now() - readySince >= stableMs ? 1 : attempt + 1
      current = await restart(attempt)
    }
  }

  return {
    async start() {
      if (firstStart !== undefined) throw new Error(`${spec.name} has been started already`)
      try {
        firstStart = bringUp()
        loop = supervise(await firstStart)
      } catch (error) {
        if (phase !== 'stopping' && phase !== 'stopped') enter('failed')
        lastError = error instanceof Error ? error.message : String(error)
        throw error
      }
    },
    async stop() {
      if (phase === 'stopped') return
      enter('stopping')
      ending.abort()
      if (running !== undefined) await end(spec, running)
      await firstStart?.catch(() => {})
      await loop
      try {
        await spec.dispose?.()
      } catch (error) {
        logger.warn({ child: spec.name, error: String(error) }, 'child left something behind')
      }
      enter('stopped')
    },
    state: () => ({ name: spec.name, phase, pid: running?.child.pid, restarts, since, lastError }),
  }
}
