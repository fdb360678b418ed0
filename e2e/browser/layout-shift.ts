import type { Page } from '@playwright/test'

/** Maximum layout shift score of a page while it loads, which web.dev calls good. */
export const maxShift = 0.1

type Shift = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
}

/**
 * Returns how far the content of a page has moved without input, as the browser's layout shift score, 0 for not at all.
 * Also returns the elements that moved, with their first words and the distance downwards in px.
 */
export const readShift = (page: Page): Promise<{ score: number; moved: string[] }> =>
  page.evaluate(
    () =>
      new Promise<{ score: number; moved: string[] }>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const words = ({ node }: Shift['sources'][number]): string => node?.textContent?.slice(0, 40) ?? ''
          // A placeholder without words is ignored, because users cannot click it.
          const shifts = (list.getEntries() as Shift[]).filter(
            ({ hadRecentInput, sources }) => !hadRecentInput && sources.some((source) => words(source) !== ''),
          )
          resolve({
            score: shifts.reduce((total, { value }) => total + value, 0),
            moved: shifts.flatMap(({ sources }) =>
              sources.map((source) => `"${words(source)}" by ${source.currentRect.y - source.previousRect.y} px`),
            ),
          })
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // The browser reports nothing for a page that did not move.
        setTimeout(() => resolve({ score: 0, moved: [] }), 200)
      }),
  )
