import { useConfig } from '../config.ts'

/**
 * Whether the server sends email, or stores it in its outbox because it has no mail server; true until that is known.
 */
export const useMailEnabled = (): boolean => useConfig()?.mail_enabled !== false
