import type { Page } from '@playwright/test'

/** How far a page may move while it loads: what web.dev calls good. */
export const mostShift = 0.1

type Shift = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
}

/**
 * How far what a page showed has moved while nobody did anything, as the browser's layout shift score, 0 for not at all; and what
 * moved, by its first words and how far down, px.
 */
export const readShift = (page: Page): Promise<{ score: number; moved: string[] }> =>
  page.evaluate(
    () =>
      new Promise<{ score: number; moved: string[] }>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const words = ({ node }: Shift['sources'][number]): string => node?.textContent?.slice(0, 40) ?? ''
          // A placeholder without words is nothing to click.
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
        // Nothing is told of a page that did not move.
        setTimeout(() => resolve({ score: 0, moved: [] }), 200)
      }),
  )
