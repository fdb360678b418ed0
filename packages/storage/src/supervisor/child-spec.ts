import type { ChildProcess } from 'node:child_process'
import type { RetryPolicy } from '@tributary/kernel'

/** One step of stopping a child: the signal to send, and how long to wait for the exit after it, ms. */
export type StopStep = { signal: NodeJS.Signals; waitMs: number }

/**
 * The description of a child process that the supervisor runs. Only the supervisor calls its functions, and never two
 * at a time for one child.
 */
export type ChildSpec = {
  /** A short and unique name, for logs, metrics, and health. */
  readonly name: string
  /**
   * Called before every start, including restarts. Stops processes that a killed predecessor left on the same folder,
   * and removes their unfinished work. Resolves only when the folder is free. Idempotent.
   */
  recover?(): Promise<void>
  /**
   * Starts the process, and resolves as soon as it is spawned (not ready). stdout and stderr must be pipes. The
   * supervisor logs them line by line, and quotes the last lines if a start fails. Spawn it with `detached: true` (its
   * own process group). Otherwise Ctrl-C in the terminal ends it together with the server instead of after the server.
   */
  spawn(): Promise<ChildProcess>
  /**
   * Returns true if the child responds. It must give up by itself within about two seconds; an error counts as false.
   * It is called every 20 ms, and later every 250 ms, until it returns true.
   */
  probe(): Promise<boolean>
  /** Maximum time from the start of the process to the first true probe, ms. */
  readonly startTimeoutMs: number
  /** Signals in order. The process is killed with SIGKILL if it still runs after the last step. */
  readonly stop: readonly StopStep[]
  /**
   * The signal that the child gets immediately if this process dies without stopping it (SIGKILL, crash). Undefined if
   * the child notices the death by itself, for example by the end of an IPC channel.
   */
  readonly onParentDeath?: NodeJS.Signals
  /** Delays between restarts. If the child has not become ready within `maxElapsedMs`, it counts as failed for good. */
  readonly restart?: RetryPolicy
  /**
   * Probes the ready child every `intervalMs`. After `failures` false results in a row, the child is killed and
   * restarted.
   */
  readonly watch?: { intervalMs: number; failures: number }
  /** Called once after the final stop, to remove sockets and temporary folders. */
  dispose?(): Promise<void>
}

/**
 * `backing-off`: the child ended unexpectedly, and waits for its next start. `failed`: the supervisor has given it up.
 */
export type ChildPhase = 'idle' | 'starting' | 'ready' | 'backing-off' | 'stopping' | 'stopped' | 'failed'

/** The health of one child. `since` is the time of the last change of its phase, epoch ms. */
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
