import { adminCredentials, createWebhook } from '@tributary/test-kit'
import { launchChromium } from '../../e2e/browser/chromium.ts'
import { weighPage } from '../../e2e/browser/page-weight.ts'
import { type Figure, median } from '../harness.ts'
import { startBench } from '../product.ts'
import { measureList } from './web-list.ts'

const rounds = 5

/** Factor by which the processor for measuring pages is slower than that of this machine. */
const slowness = 4

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Session = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>
type Visit = { script: number; files: number; bytes: number; paint: number }

/** Opens an address with an empty cache on the slower processor, and waits until the page sends no more requests. */
const visit = async (browser: Browser, url: string, session?: Session): Promise<Visit> => {
  const context = await browser.newContext(session === undefined ? {} : { storageState: session })
  try {
    const page = await context.newPage()
    const weigh = await weighPage(page)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness })
    await page.goto(url)
    await page.waitForLoadState('networkidle')
    const paint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    )
    return { ...weigh(), paint }
  } finally {
    await context.close()
  }
}

/** Signs in through the page, and returns the browser's stored state. */
const signIn = async (browser: Browser, origin: string): Promise<Session> => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${origin}/auth/login`)
  await page.getByRole('textbox', { name: 'Email' }).fill(adminCredentials.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(adminCredentials.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(({ pathname }) => pathname !== '/auth/login')
  const session = await context.storageState()
  await context.close()
  return session
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`

/**
 * Measures the bytes that a browser on a slow machine transfers for each kind of page, and the time of its first
 * content. The figures are medians. The rounds alternate with a page of one line from the same server, which shows the
 * browser's own cost.
 */
export const measureWeb = async (): Promise<Figure[]> => {
  const bench = await startBench({})
  await using product = bench.product
  const browser = await launchChromium()
  try {
    const source = `${bench.workspace}/sources/${bench.sourceId}`
    const destination = await createWebhook(product.api, bench.workspace, source, { url: 'http://127.0.0.1:9' })
    const session = await signIn(browser, product.url)
    const pages = [
      { name: 'sign-in', path: 'auth/login', kb: 120, files: 10, paint: 1500 },
      { name: 'home', path: bench.workspace, kb: 350, files: 25, paint: 2500 },
      { name: 'source', path: source, kb: 350, files: 25, paint: 2500 },
      { name: 'destination', path: `${destination}#mappings`, kb: 350, files: 25, paint: 2500 },
      { name: 'explorer', path: `${bench.workspace}/events`, kb: 350, files: 25, paint: 2500 },
    ]
    const figures: Figure[] = []
    for (const { name, path, kb, files, paint } of pages) {
      const visits: Visit[] = []
      const bare: number[] = []
      for (let round = 0; round < rounds; round++) {
        bare.push((await visit(browser, `${product.url}/robots.txt`)).paint)
        visits.push(await visit(browser, `${product.url}/${path}`, name === 'sign-in' ? undefined : session))
      }
      const last = visits.at(-1) ?? { script: Number.NaN, files: Number.NaN, bytes: Number.NaN, paint: Number.NaN }
      const seen = median(visits.map((each) => each.paint))
      figures.push(
        {
          figure: `${name}: transferred`,
          target: `< ${kb} KB in ≤ ${files} files`,
          measured: `${kilobytes(last.bytes)} in ${last.files} files, ${kilobytes(last.script)} of it script`,
          pass: last.bytes < kb * 1024 && last.files <= files,
        },
        {
          figure: `${name}: first contentful paint, processor ÷ ${slowness}`,
          target: `< ${(paint / 1000).toFixed(1)} s`,
          measured: `${(seen / 1000).toFixed(2)} s (a page of one line ${(median(bare) / 1000).toFixed(2)} s)`,
          pass: seen < paint,
        },
      )
    }
    return [...figures, await measureList(browser, product, session, slowness)]
  } finally {
    await browser.close()
  }
}
