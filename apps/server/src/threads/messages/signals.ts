import { forget, type Messages, needed, refresh } from './message.ts'

/** Messages to signals, which only the process with their thread sends. */
export const signalsMessages = { refresh, needed, forget } satisfies Messages
