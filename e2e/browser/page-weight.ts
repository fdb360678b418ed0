import type { Page } from '@playwright/test'

/** Transfer of a page: bytes on the wire including headers, number of files, and bytes of scripts. */
export type PageWeight = { bytes: number; files: number; script: number }

/** Whether a request is a call of the API or of a similar path. It then loads data of the page, not the page itself. */
const isData = (url: string): boolean => /^\/(api|ofrep|pusher|v1|media|health|app)(\/|$)/.test(new URL(url).pathname)

/**
 * Counts the bytes that the page transfers from now on, by the browser's own measurement. The returned function reads
 * the count.
 */
export const weighPage = async (page: Page): Promise<() => PageWeight> => {
  const session = await page.context().newCDPSession(page)
  const files = new Map<string, { script: boolean; bytes: number }>()
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (response.url.startsWith('http') && !isData(response.url))
      files.set(requestId, { script: type === 'Script' || response.mimeType.includes('javascript'), bytes: 0 })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId)
    if (file !== undefined) file.bytes = encodedDataLength
  })
  await session.send('Network.enable')
  return () => {
    const all = [...files.values()]
    const sum = (list: typeof all): number => list.reduce((total, { bytes }) => total + bytes, 0)
    return { bytes: sum(all), files: all.length, script: sum(all.filter(({ script }) => script)) }
  }
}
