import type { Page } from '@playwright/test'

/** Elements that stick out of the page to the right, if the page scrolls horizontally. */
export const findHorizontalScroll = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const root = document.documentElement
    if (root.scrollWidth <= root.clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1)
      .slice(0, 3)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className.toString().slice(0, 60)}`)
  })

/**
 * Texts that are cut: an element whose content is larger than its box while what does not fit is hidden, unless it ends
 * in an ellipsis on purpose or is meant for screen readers only.
 */
export const findClippedText = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ownText = (element: Element): string =>
      [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent?.trim())
        .join('')
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => {
        if (ownText(element) === '') return false
        const style = getComputedStyle(element)
        const box = element.getBoundingClientRect()
        if (style.visibility === 'hidden' || box.width <= 1 || box.height <= 1 || style.display === 'inline')
          return false
        if (style.textOverflow === 'ellipsis' || style.getPropertyValue('-webkit-line-clamp') !== 'none') return false
        const cutsX = style.overflowX === 'hidden' || style.overflowX === 'clip'
        const cutsY = style.overflowY === 'hidden' || style.overflowY === 'clip'
        return (
          (cutsX && element.scrollWidth > element.clientWidth + 1) ||
          (cutsY && element.scrollHeight > element.clientHeight + 2)
        )
      })
      .slice(0, 3)
      .map((element) => `"${element.textContent?.trim().slice(0, 60)}"`)
  })

/** Names of tables that are wider than the frame they lie in, so that they scroll sideways. */
export const findSidewaysTables = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('table')]
      .filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0) + 1)
      .map((table) => table.getAttribute('aria-label') ?? 'a table'),
  )
