import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for one test, deleted at the end of its scope. */
export const createFolder = async (): Promise<{ path: string; remove(): Promise<void> } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'tributary-log-'))
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true })
  return { path, remove, [Symbol.asyncDispose]: remove }
}
