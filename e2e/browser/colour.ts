import type { Locator } from '@playwright/test'

/**
 * Returns red, green, blue and opacity (0 to 255) of an element's text or background on the screen, in whatever
 * notation the style has them.
 */
export const colourOf = (element: Locator, property: 'color' | 'backgroundColor'): Promise<number[]> =>
  element.evaluate((node, name) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (context === null) return []
    context.fillStyle = getComputedStyle(node)[name]
    context.fillRect(0, 0, 1, 1)
    return Array.from(context.getImageData(0, 0, 1, 1).data)
  }, property)
