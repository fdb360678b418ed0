import { apiUrl, type Wait, waitFor } from './calls.ts'
import { tokenUrl } from './tokens.ts'

/** Google's addresses, and how to wait. */
export type Google = { api: string; tokenUrl: string; wait: Wait }

/** The real ones. */
export const google: Google = { api: apiUrl, tokenUrl, wait: waitFor }
