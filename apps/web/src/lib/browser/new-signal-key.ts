import { storagePrefix } from './storage-prefix.ts'

/** Under which this tab keeps what is entered of a new signal. */
export const newSignalKey = `${storagePrefix}-new-signal`
