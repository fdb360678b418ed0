import { useQuery } from '@tanstack/react-query'
import { configQuery } from './config-query.ts'

/** Whether the server sends mail, or keeps it in its outbox because it has no mail server; true until that is known. */
export const useMailEnabled = (): boolean => useQuery(configQuery()).data?.mail_enabled !== false
