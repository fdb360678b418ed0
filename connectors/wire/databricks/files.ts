import { isJsonObject } from '@tributary/connector-kit'
import { deliveryError, Refusal, refusalOf } from './failures.ts'
import type { Workspace } from './run-statement.ts'
import { shortAnswer } from './sign-in.ts'

/** Maximum ms of one request for a file. */
const fileMs = 120_000

/** A volume of Unity Catalog, as `/Volumes/catalog/schema/volume`. */
export const volumePath = (catalog: string, schema: string, volume: string): string =>
  `/Volumes/${catalog}/${schema}/${volume}`

type Sent = { method: 'GET' | 'PUT' | 'DELETE'; kind: 'files' | 'directories'; path: string; body?: string }

/**
 * Sends a request of the Files API (docs.databricks.com/api/workspace/files), and once more with another token if the
 * first is refused. Rejects with a DeliveryError without secrets.
 */
const send = async (workspace: Workspace, { method, kind, path, body }: Sent, signal: AbortSignal): Promise<string> => {
  const { origin, signIn, connect } = workspace
  const way = { connect, signal: AbortSignal.any([signal, AbortSignal.timeout(fileMs)]) }
  const place = path.split('/').map(encodeURIComponent).join('/')
  const url = `${origin}/api/2.0/fs/${kind}${place}${method === 'PUT' ? '?overwrite=true' : ''}`
  const withToken = (token: string) =>
    shortAnswer(
      {
        method,
        url,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        ...(body === undefined ? {} : { body }),
      },
      way,
    )
  try {
    const token = await signIn.token(way)
    let answer = await withToken(token)
    const other = answer.status === 401 ? await signIn.token(way, token) : token
    if (other !== token) answer = await withToken(other)
    if (answer.status >= 200 && answer.status < 300) return answer.text
    throw refusalOf(answer.status, answer.text, answer.retryAfterMs)
  } catch (error) {
    throw deliveryError(error instanceof Refusal ? new Refusal(signIn.hide(error.message), error) : error)
  }
}

/** Writes a file, whole or not at all. Rejects with a DeliveryError. */
export const writeFile = async (workspace: Workspace, path: string, body: string, signal: AbortSignal): Promise<void> =>
  void (await send(workspace, { method: 'PUT', kind: 'files', path, body }, signal))

/** Removes a file. Rejects with a DeliveryError. */
export const removeFile = async (workspace: Workspace, path: string, signal: AbortSignal): Promise<void> =>
  void (await send(workspace, { method: 'DELETE', kind: 'files', path }, signal))

/** Lists the names of the files of a folder with the epoch ms of their last change, the first page of them. */
export const listFiles = async (
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<{ name: string; changed: number }[]> => {
  const text = await send(workspace, { method: 'GET', kind: 'directories', path }, signal)
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return []
  }
  const contents = isJsonObject(answer) && Array.isArray(answer.contents) ? answer.contents : []
  return contents.flatMap((entry: unknown) =>
    isJsonObject(entry) && typeof entry.name === 'string' && typeof entry.last_modified === 'number'
      ? [{ name: entry.name, changed: entry.last_modified }]
      : [],
  )
}
