import type { Screen } from './screens.ts'

/**
 * The screens of the documentation: its first page, code with the reader's key and without, tables, lists, and the
 * search.
 */
export const docsScreens: Screen[] = [
  { name: 'docs', path: () => '/docs', ready: async (page) => page.getByRole('heading', { level: 1 }).waitFor() },
  {
    name: 'docs-signed-out',
    path: () => '/docs/getting-started',
    signedOut: true,
    ready: async (page) => page.getByText('to have the write key').waitFor(),
  },
  {
    name: 'docs-source',
    path: ({ filled }) => `/docs/sources/http?source=${encodeURIComponent(filled.source)}`,
    ready: async (page) => page.getByRole('combobox', { name: 'Source' }).waitFor(),
  },
  {
    name: 'docs-configuration',
    path: () => '/docs/configuration',
    ready: async (page) => page.getByRole('table').waitFor(),
  },
  {
    name: 'docs-sources',
    path: () => '/docs/sources',
    ready: async (page) => page.getByRole('heading', { name: 'Mobile' }).waitFor(),
  },
  {
    name: 'docs-search',
    path: () => '/docs/search?q=dead%20letter',
    ready: async (page) => page.getByRole('list').getByText('dead').first().waitFor(),
  },
  {
    name: 'docs-search-typed',
    path: () => '/docs/mappings',
    ready: async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('retry')
      await page.getByRole('option').first().waitFor()
    },
  },
]
