/** The number of sessions, and so of concurrent queries, for each kind of slot. */
export type Sessions = { insert: number; short: number; heavy: number }

/**
 * The default number of sessions. One workspace never uses the last session of a kind: with three sessions, it can
 * still run two queries at a time.
 */
export const defaultSessions: Sessions = { insert: 2, short: 3, heavy: 3 }

/**
 * The environment variable in which the parent passes the options: argv would show the secret to every user of the
 * machine.
 */
export const childOptionsVariable = 'TRIBUTARY_EVENT_STORE_CHILD'

export type ChildOptions = {
  dataDir: string
  user: string
  secret: string
  /** Port on 127.0.0.1; 0 selects a free one. */
  port: number
  memoryBytes: number
  maxThreads?: number
  sessions: Sessions
}

/** Sent over IPC when the child is ready. */
export type ReadyMessage = { port: number }
