import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { adminCredentials, createApiClient, type Product, startProduct } from '@tributary/test-kit'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the product that test files share. */
    productUrl: string
    /** Its process. */
    productPid: number
    /** Address at which the lines that it printed so far can be read. */
    productOutput: string
  }
}

/** A product that runs for several test files, signed in as the administrator. */
export type SharedProduct = Pick<Product, 'url' | 'pid' | 'api'> & {
  /** Lines the process printed so far. */
  output(): Promise<string>
}

/** Starts the product for test files without special settings, faults or measurements, and stops it at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await startProduct()
  const printed = createServer((_, response) => void response.end(product.output())).listen(0, '127.0.0.1')
  await once(printed, 'listening')
  project.provide('productOutput', `http://127.0.0.1:${(printed.address() as AddressInfo).port}/`)
  project.provide('productUrl', product.url)
  project.provide('productPid', product.pid)
  return async () => {
    printed.close()
    await product[Symbol.asyncDispose]()
  }
}

/** Joins the shared product with the caller's own session. Callers work in their own workspaces. */
export const joinProduct = async (): Promise<SharedProduct> => {
  // The import is here, because the set-up of this file runs outside of tests.
  const { inject } = await import('vitest')
  const url = inject('productUrl')
  const api = createApiClient(url)
  await api.login(adminCredentials)
  const output = async (): Promise<string> => await (await fetch(inject('productOutput'))).text()
  return { url, pid: inject('productPid'), api, output }
}
