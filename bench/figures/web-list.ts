import type { Browser, Page } from '@playwright/test'
import { newId } from '@tributary/kernel'
import { createWorkspace, type Product } from '@tributary/test-kit'
import { openDatabase } from '../../e2e/browser/people.ts'
import { type Figure, inTurns, median } from '../harness.ts'

const manyRows = 10_000
const fewRows = 10
const pairs = 3
const targetMs = 1000

/**
 * Creates a workspace with `count` sources. They are inserted into the database, because one call for each would take
 * minutes.
 */
const fillWorkspace = async (product: Product, count: number): Promise<string> => {
  const { workspace } = await createWorkspace(product.api, `With ${count} sources`)
  await using database = await openDatabase(product)
  const rows = Array.from({ length: count }, (_, index) => ({
    id: newId(),
    workspace_id: workspace.replace('workspaces/', ''),
    title: `Source ${index + 1}`,
    app: 'http',
  }))
  for (let from = 0; from < count; from += 1000)
    await database.db
      .insertInto('sources')
      .values(rows.slice(from, from + 1000))
      .execute()
  return workspace
}

/** Records when the page shows the complete list: its rows, and their number under the filters. */
const watchList = (count: string): void => {
  const observer = new MutationObserver(() => {
    const shown = [...document.querySelectorAll('output')].some((output) => output.textContent === `${count} sources`)
    if (!shown || document.querySelector('table[aria-label="Sources"] tbody a') === null) return
    observer.disconnect()
    requestAnimationFrame(() =>
      setTimeout(() => {
        performance.mark('list shown')
      }),
    )
  })
  observer.observe(document, { childList: true, subtree: true, characterData: true })
}

/**
 * Returns the time in ms until the list is painted, from the end of the last response of the list or of the page's
 * code.
 */
const openList = async (page: Page, workspace: string, count: number): Promise<number> => {
  await page.goto('/health')
  await page.addInitScript(watchList, count.toLocaleString('en-US'))
  await page.goto(`/${workspace}/sources`)
  await page.waitForFunction(() => performance.getEntriesByName('list shown').length > 0, undefined, {
    timeout: 60_000,
  })
  return await page.evaluate((path) => {
    // A short response arrives before the code of the page.
    const arrived = performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname === path || name.endsWith('.js'))
      .map((entry) => (entry instanceof PerformanceResourceTiming ? entry.responseEnd : 0))
    return (performance.getEntriesByName('list shown')[0]?.startTime ?? Number.NaN) - Math.max(...arrived)
  }, `/api/${workspace}/sources`)
}

/**
 * Measures the time to paint a list of 10,000 rows after its response on a slower processor, in alternation with a list
 * of ten rows.
 */
export const measureList = async (
  browser: Browser,
  product: Product,
  session: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>,
  slowness: number,
): Promise<Figure> => {
  const workspaces = { many: await fillWorkspace(product, manyRows), few: await fillWorkspace(product, fewRows) }
  const took = await inTurns(pairs, ['many', 'few'], async (kind) => {
    await using context = await browser.newContext({ baseURL: product.url, storageState: session })
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness })
    return await openList(page, workspaces[kind], kind === 'many' ? manyRows : fewRows)
  })
  const [many, few] = [median(took.many), median(took.few)]
  return {
    figure: `list of ${manyRows.toLocaleString('en-US')} rows, painted after its answer, processor ÷ ${slowness}`,
    target: `< ${(targetMs / 1000).toFixed(0)} s`,
    measured: `${(many / 1000).toFixed(2)} s (one of ${fewRows} rows ${(few / 1000).toFixed(2)} s)`,
    pass: many < targetMs,
  }
}
