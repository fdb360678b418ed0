import type { ChildProcess } from 'node:child_process'
import type { RetryPolicy } from '@tributary/kernel'

/** One step of stopping a child: the signal to send and how long (milliseconds) to wait for the exit after it. */
export type StopStep = { signal: NodeJS.Signals; waitMs: number }

/**
 * The description of a child process that the supervisor needs to run it. All functions are called by the supervisor
 * only, never two at a time for one child.
 */
export type ChildSpec = {
  /** Short and unique; label of logs, metrics and health. */
  readonly name: string
  /**
   * Called before every spawn, the first as well as each restart: stops processes that a killed predecessor left on the
   * same folder, and clears their unfinished work. Resolves only when the folder is free. Idempotent.
   */
  recover?(): Promise<void>
  /**
   * Starts the process and resolves with it as soon as it is spawned (not ready). stdout and stderr must be pipes. The
   * supervisor logs them line by line and quotes the last lines when a start fails. Spawn it with `detached: true` (its
   * own process group), otherwise a Ctrl-C in the terminal ends it together with the server instead of after it.
   */
  spawn(): Promise<ChildProcess>
  /**
   * True when the child answers. Must give up by itself within about two seconds; a throw counts as false. Polled every
   * 20 ms, slowing to 250 ms, until it is true.
   */
  probe(): Promise<boolean>
  /** How long the child may take from spawn to the first true probe, milliseconds. */
  readonly startTimeoutMs: number
  /** Signals in order; the process is killed with SIGKILL when the last step has not ended it. */
  readonly stop: readonly StopStep[]
  /**
   * The signal that the child gets immediately when this process dies without stopping it (SIGKILL, crash). Undefined
   * when the child notices on its own, for instance by the end of an IPC channel.
   */
  readonly onParentDeath?: NodeJS.Signals
  /** Delays between restarts. When `maxElapsedMs` has passed without a ready child, it counts as failed for good. */
  readonly restart?: RetryPolicy
  /** Probes the ready child every `intervalMs`; after `failures` false answers in a row it is killed and restarted. */
  readonly watch?: { intervalMs: number; failures: number }
  /** Called once after the final stop: removes sockets and temporary folders. */
  dispose?(): Promise<void>
}

/** `backing-off`: ended unexpectedly, waits for its next start. `failed`: given up. */
export type ChildPhase = 'idle' | 'starting' | 'ready' | 'backing-off' | 'stopping' | 'stopped' | 'failed'

/** The health of one child. `since` is epoch milliseconds of the last change of phase. */
export type ChildState = {
  name: string
  phase: ChildPhase
  pid: number | undefined
  restarts: number
  since: number
  lastError: string | undefined
}

/** An unrequested exit. `lines` are the last lines of the child's output. */
export type ChildExit = {
  name: string
  code: number | null
  signal: NodeJS.Signals | null
  lines: readonly string[]
}
