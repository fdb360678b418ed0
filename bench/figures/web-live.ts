import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { adminCredentials } from '@tributary/test-kit'
import { launchChromium } from '../../e2e/browser/chromium.ts'
import { type Figure, inTurns, mean, runLoad } from '../harness.ts'
import { type Bench, startBench } from '../product.ts'

const eventsPerSecond = 200
const watchedMs = 20_000
/** Factor by which the processor of the page is slower than that of this machine. */
const slowdown = 4
const pairs = 2
/** Maximum share of the time that long tasks can take, 0 to 1. */
const target = 0.1

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves the files of another build of the web application. The product serves all other addresses. */
const serveBuild = async (page: Page, folder: string): Promise<void> => {
  await page.route('**/*', async (route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    const file = request.resourceType() === 'document' ? '/index.html' : pathname
    const body = await readFile(join(folder, file)).catch(() => undefined)
    if (body === undefined || pathname.startsWith('/api/')) await route.continue()
    else await route.fulfill({ body, contentType: types[extname(file)] ?? 'application/octet-stream' })
  })
}

const signIn = async (page: Page): Promise<void> => {
  await page.goto('/auth/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(adminCredentials.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(adminCredentials.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
}

/** Adds up the durations of the page's long tasks from now on, in ms. The returned function reads the sum. */
const watchLongTasks = async (page: Page): Promise<() => Promise<{ ms: number; count: number }>> => {
  const handle = await page.evaluateHandle(() => {
    const sum = { ms: 0, count: 0 }
    const add = (entries: PerformanceEntryList): void => {
      for (const { duration } of entries) {
        sum.ms += duration
        sum.count += 1
      }
    }
    const observer = new PerformanceObserver((list) => add(list.getEntries()))
    observer.observe({ type: 'longtask' })
    return {
      read: () => {
        add(observer.takeRecords())
        return sum
      },
    }
  })
  return () => handle.evaluate((watch) => watch.read())
}

/** Measures the share of the time (0 to 1) that long tasks take on a live page while events arrive. */
const shareOf = async (browser: Browser, bench: Bench, build: string | undefined, run: string): Promise<number> => {
  const context = await browser.newContext({ baseURL: bench.product.url, viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  try {
    if (build !== undefined) await serveBuild(page, build)
    await signIn(page)
    await page.goto(`/${bench.workspace}/sources/${bench.sourceId}`)
    await page.getByRole('button', { name: 'Connection: Live' }).waitFor()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const load = runLoad({
      port: bench.port,
      key: bench.key,
      connections: 4,
      eventsPerRequest: 1,
      rate: eventsPerSecond,
      seconds: watchedMs / 1000 + 4,
      run,
    })
    await page.getByRole('table', { name: 'Live events' }).getByRole('row').nth(5).waitFor()
    // The first second is excluded, because the page is still opening.
    await page.waitForTimeout(1000)
    const read = await watchLongTasks(page)
    const began = performance.now()
    await page.waitForTimeout(watchedMs)
    const { ms, count } = await read()
    const share = ms / (performance.now() - began)
    await load
    process.stdout.write(`  ${run}: ${count} long tasks, ${ms.toFixed(0)} ms, ${(share * 100).toFixed(1)} %\n`)
    return share
  } finally {
    await context.close()
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/**
 * Measures the share of time that a live page spends in long tasks (over 50 ms) with 200 events per second, on a
 * processor four times slower than this one. With TRIBUTARY_BENCH_WEB_BEFORE, the folder of another build of the web
 * application, both builds are measured in alternation. Then the ratio of their means must be at most 0.2.
 */
export const measureWebLive = async (): Promise<Figure[]> => {
  const before = process.env['TRIBUTARY_BENCH_WEB_BEFORE']
  const bench = await startBench({})
  await using _ = bench.product
  const browser = await launchChromium()
  try {
    const name = `live page, long tasks at ${eventsPerSecond} events/s, processor ÷ ${slowdown}`
    if (before === undefined) {
      const share = await shareOf(browser, bench, undefined, 'live')
      const figure = { figure: name, target: `< ${percent(target)} of the time`, measured: percent(share) }
      return [{ ...figure, pass: share < target }]
    }
    const shares = await inTurns(pairs, ['before', 'now'], (kind, round) =>
      shareOf(browser, bench, kind === 'before' ? before : undefined, `${kind}-${round}`),
    )
    const [then, now] = [mean(shares.before), mean(shares.now)]
    const measured = `${percent(now)}, before ${percent(then)}`
    return [{ figure: name, target: 'ratio <= 0.2', measured, ratio: now / then, pass: now / then <= 0.2 }]
  } finally {
    await browser.close()
  }
}
