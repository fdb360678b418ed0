import type { EngineOptions } from './engine.ts'

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
  sessions?: EngineOptions['sessions']
}

/** Sent over IPC once the child answers. */
export type ReadyMessage = { port: number }
