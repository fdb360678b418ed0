import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/errors.ts'
import { dataSourceIds } from '../../../lib/format/names.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { notify } from '../../../ui/overlays/toast.tsx'
import { uploadFile } from './upload-file.ts'

/** An upload that is in progress or has failed. If it can be resumed, it continues at its offset. */
export type UploadState =
  | { kind: 'sending'; file: File; offset: number }
  | { kind: 'failed'; file: File; message: string; canGoOn: boolean }

/** The upload to a data source (a resource name). Leaving the page ends it. */
export const useUpload = (dataSource: string) => {
  const cache = useQueryClient()
  const [state, setState] = useState<UploadState | undefined>()
  const abort = useRef<AbortController | undefined>(undefined)
  const reached = useRef({ id: '', offset: 0 })
  useEffect(() => () => abort.current?.abort(), [])

  const send = async (file: File): Promise<void> => {
    const running = new AbortController()
    abort.current = running
    const onProgress = (offset: number): void => {
      if (offset < file.size) reached.current.offset = offset
      if (!running.signal.aborted) setState({ kind: 'sending', file, offset })
    }
    try {
      await uploadFile(dataSource, file, { ...reached.current }, { onProgress, signal: running.signal })
      setState(undefined)
      notify('success', 'File Uploaded')
    } catch (error) {
      if (running.signal.aborted) return
      const message = error instanceof Error ? error.message : ''
      // The server would reject a rejected file again, so only other failures can be resumed.
      const canGoOn = !(error instanceof ApiError) || error.status === 0 || error.status >= 429
      setState({ kind: 'failed', file, message, canGoOn })
    } finally {
      const { workspace } = dataSourceIds(dataSource)
      refresh(cache, ['uploads', 'dataSources'], { workspace })
    }
  }

  return {
    state,
    start: (file: File): void => {
      reached.current = { id: crypto.randomUUID(), offset: 0 }
      void send(file)
    },
    /** Sends the parts that the server has not received. */
    goOn: (file: File): void => void send(file),
    cancel: (): void => {
      abort.current?.abort()
      setState(undefined)
    },
  }
}
