import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh folder for one test, removed when it goes out of scope. */
export const createFolder = async (): Promise<{ path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'tributary-log-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
