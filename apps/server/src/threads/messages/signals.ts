import { forget, type Messages, needed, refresh } from './message.ts'

/** Messages to signals, sent only by the process with their thread. */
export const signalsMessages = { refresh, needed, forget } satisfies Messages
