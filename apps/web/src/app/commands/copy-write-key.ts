import { writekeysQuery } from '../../lib/queries/workspace-queries.ts'
import { copyText } from '../../ui/code/copy-button.tsx'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'
import { queryClient } from '../query-client.ts'

/**
 * Copies the newest write key of a source (a resource name) and shows a notice. Without a write key, it calls `onNone`,
 * which opens the page for creating one.
 */
export const copyWriteKey = async (source: string, onNone: () => void): Promise<void> => {
  try {
    const [newest] = await queryClient.fetchQuery(writekeysQuery(source))
    if (newest === undefined) return onNone()
    if (await copyText(newest.key)) notify('success', 'Write key copied')
    else onNone()
  } catch (error) {
    notifyRefusal('Could not copy the write key', error instanceof Error ? error : new Error(String(error)))
  }
}
