import type { Page } from '@playwright/test'

/** Returns the elements that stick out of the page to the right, if the page scrolls horizontally. */
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
 * Returns texts that are cut off: the content of an element is larger than its box, and the overflow is hidden.
 * Elements that end in an ellipsis on purpose, or are only for screen readers, do not count.
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

/** Returns texts of table cells that extend into the padding at the right edge of their cell. */
export const findOverfullCells = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const range = document.createRange()
    return [...document.querySelectorAll('td, th')]
      .filter((cell) => {
        const { overflowX, paddingRight } = getComputedStyle(cell)
        if (overflowX !== 'visible' || cell.textContent?.trim() === '') return false
        const edge = cell.getBoundingClientRect().right - Number.parseFloat(paddingRight) + 1
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
          const frame = text.parentElement
          if (frame === null || !frame.checkVisibility({ visibilityProperty: true })) continue
          // A frame inside the cell may cut the text off, which `findClippedText` finds.
          if (frame !== cell && frame.getBoundingClientRect().right <= edge) continue
          range.selectNodeContents(text)
          const { right, width } = range.getBoundingClientRect()
          if (width > 2 && right > edge) return true
        }
        return false
      })
      .slice(0, 3)
      .map((cell) => `"${cell.textContent?.trim().slice(0, 40)}"`)
  })

/**
 * Returns words that continue in the next line without a hyphen, although they are short enough for a line of a phone.
 */
export const findBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      range.selectNodeContents(text)
      if (range.getClientRects().length < 2 || text.parentElement === null) continue
      // Line breaks inside IDs and keys are intended.
      if (getComputedStyle(text.parentElement).wordBreak === 'break-all') continue
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(
        /(?<=^|\s)[\p{L}_]{2,28}(?=[,.;:!?)]*(\s|$))/gu,
      )) {
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.add(`"${word}"`)
      }
    }
    return [...found].slice(0, 3)
  })

/**
 * Returns controls that a frame without scrolling cuts off, so that a part of the control can be neither read nor
 * clicked.
 */
export const findCutControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    for (const control of document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea')) {
      const box = control.getBoundingClientRect()
      if (box.width <= 2 || box.height <= 2 || !control.checkVisibility({ visibilityProperty: true })) continue
      for (let frame = control.parentElement; frame !== null; frame = frame.parentElement) {
        const { overflowX, position } = getComputedStyle(frame)
        if (overflowX === 'auto' || overflowX === 'scroll' || position === 'fixed') break
        const edge = frame.getBoundingClientRect()
        if (overflowX !== 'visible' && (box.right > edge.right + 2 || box.left < edge.left - 2)) {
          found.push(control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 40) ?? control.tagName)
          break
        }
      }
    }
    return found.slice(0, 3)
  })

/** Returns the names of the visible dialogs if there is more than one, because a dialog must replace another. */
export const findStackedDialogs = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].filter(
      (dialog) =>
        dialog.getAttribute('aria-modal') !== 'false' &&
        dialog.querySelector('[role="option"], [role="menuitem"]') === null &&
        dialog.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    )
    return shown.length < 2 ? [] : [shown.map((dialog) => dialog.textContent?.slice(0, 30) ?? '').join(' + ')]
  })

/**
 * Returns elements that fill a corner of a rounded frame without being rounded, now or when the pointer is over them,
 * so that their corner sticks out. The frame is the nearest enclosing element with a radius of 4 px or more that does
 * not clip its content.
 */
export const findSquareCorners = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    type Corner = 'TopLeft' | 'TopRight' | 'BottomLeft' | 'BottomRight'
    const corners: readonly Corner[] = ['TopLeft', 'TopRight', 'BottomLeft', 'BottomRight']
    const radius = (element: Element, corner: Corner): number =>
      Number.parseFloat(getComputedStyle(element)[`border${corner}Radius`]) || 0
    const at = (element: Element, corner: Corner): readonly [number, number] => {
      const box = element.getBoundingClientRect()
      return [corner.endsWith('Left') ? box.left : box.right, corner.startsWith('Top') ? box.top : box.bottom]
    }
    const filled = (element: Element): boolean =>
      !/rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(element).backgroundColor)
    const found: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const className = element.getAttribute('class') ?? ''
      if (!filled(element) && !/(^|\s)(group-)?hover:bg-/.test(className)) continue
      if (element.getClientRects().length === 0) continue
      for (const corner of corners) {
        const [x, y] = at(element, corner)
        for (
          let frame = element.parentElement;
          frame !== null && frame !== document.body;
          frame = frame.parentElement
        ) {
          const style = getComputedStyle(frame)
          if (style.overflowX !== 'visible') break
          const round = radius(frame, corner)
          const [frameX, frameY] = at(frame, corner)
          const isThere = Math.abs(x - frameX) <= 2 && Math.abs(y - frameY) <= 2
          if (!isThere) break
          if (round < 4) continue
          if (filled(frame) && radius(element, corner) < round - 3)
            found.push(`${corner} of ${element.tagName.toLowerCase()} "${element.textContent?.trim().slice(0, 24)}"`)
          break
        }
      }
    }
    return found.slice(0, 3)
  })

/** Returns the names of tables that are wider than their frame, so that they scroll sideways. */
export const findSidewaysTables = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('table')]
      .filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0) + 1)
      .map((table) => table.getAttribute('aria-label') ?? 'a table'),
  )

/** Returns the names of selected tabs that are not completely visible in their tab strip. */
export const findHiddenTabs = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[role="tab"][aria-selected="true"]')]
      .filter((tab) => {
        const [box, strip] = [tab.getBoundingClientRect(), tab.parentElement?.getBoundingClientRect()]
        return strip !== undefined && (box.left < strip.left - 1 || box.right > strip.right + 1)
      })
      .map((tab) => tab.textContent?.trim() ?? ''),
  )

/** Returns selected options that are wider than their list and neither scroll nor end in an ellipsis. */
export const findCutChoices = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    for (const select of document.querySelectorAll('select')) {
      const chosen = select.selectedOptions[0]
      if (chosen === undefined || select.offsetWidth <= 2) continue
      const copy = document.createElement('select')
      copy.className = select.className
      copy.style.cssText = 'position: absolute; visibility: hidden; width: auto'
      copy.append(new Option(chosen.text))
      select.after(copy)
      if (copy.offsetWidth > select.offsetWidth + 1) found.push(`"${chosen.text}"`)
      copy.remove()
    }
    return found.slice(0, 3)
  })
