import { dataSourceLimits, methods, type Upload } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { dataSourceIds } from '../../../lib/format/names.ts'

/** Returns a part of a file as base64. Rejects if the file can no longer be read. */
const base64Of = (piece: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,?/, '') : '')
    reader.onerror = () => reject(new Error('The file could not be read. Choose it again.'))
    reader.readAsDataURL(piece)
  })

/** The progress of an upload: the server has received `offset` bytes. */
export type UploadProgress = { id: string; offset: number }

/**
 * Uploads a file in parts, starting at the last position. `onProgress` receives the position before each part. Resolves
 * when the server has read the whole file. Rejects like `call`. Parts that have arrived need not be sent again.
 */
export const uploadFile = async (
  dataSource: string,
  file: File,
  { id, offset: from }: UploadProgress,
  { onProgress, signal }: { onProgress: (offset: number) => void; signal: AbortSignal },
): Promise<Upload | null> => {
  let offset = from
  for (;;) {
    onProgress(offset)
    const piece = file.slice(offset, offset + dataSourceLimits.uploadPart)
    const last = offset + piece.size >= file.size
    const content = await base64Of(piece)
    // During the last part, the page shows that the server is reading the file.
    if (last) onProgress(file.size)
    const body = { upload_id: id, file_name: file.name.slice(-255), offset, content, last }
    const { size_bytes, upload } = await call(methods.uploads.create, {
      params: dataSourceIds(dataSource),
      body,
      signal,
    })
    if (last) return upload
    offset = size_bytes
  }
}
