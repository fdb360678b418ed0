/** Sessions, that is queries at a time, of each kind of slot. */
export type Sessions = { insert: number; short: number; heavy: number }

/** One workspace never has the last session of a kind: with three it still runs two queries at a time. */
export const defaultSessions: Sessions = { insert: 2, short: 3, heavy: 3 }

/** The variable in which the parent hands the options over; argv would show the secret to every user of the machine. */
export const childOptionsVariable = 'TRIBUTARY_EVENT_STORE_CHILD'

export type ChildOptions = {
  dataDir: string
  user: string
  secret: string
  /** Port on 127.0.0.1; 0 takes a free one. */
  port: number
  memoryBytes: number
  maxThreads?: number
  sessions: Sessions
}

/** Sent over IPC once the child answers. */
export type ReadyMessage = { port: number }
