import { adminCredentials, createApiClient, type Product, startProduct } from '@tributary/test-kit'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the product that test files share. */
    productUrl: string
    /** Its process. */
    productPid: number
  }
}

/** A product that runs for several test files, signed in as the administrator. */
export type SharedProduct = Pick<Product, 'url' | 'pid' | 'api'>

/** Starts the product for test files without special settings, faults or measurements, and stops it at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await startProduct()
  project.provide('productUrl', product.url)
  project.provide('productPid', product.pid)
  return async () => await product[Symbol.asyncDispose]()
}

/** Joins the shared product with the caller's own session. Callers work in their own workspaces. */
export const joinProduct = async (): Promise<SharedProduct> => {
  // The import is here, because the set-up of this file runs outside of tests.
  const { inject } = await import('vitest')
  const url = inject('productUrl')
  const api = createApiClient(url)
  await api.login(adminCredentials)
  return { url, pid: inject('productPid'), api }
}
