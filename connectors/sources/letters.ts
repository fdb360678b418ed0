const svg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">${inner}</svg>`

const face = 'font-family="ui-sans-serif,system-ui,sans-serif" font-weight="700" text-anchor="middle"'

/** A logo of letters on a coloured square. Colours are SVG colours; up to four letters fit. */
export const lettersLogo = (letters: string, background: string, ink = '#fff'): string => {
  const size = letters.length > 3 ? 14 : letters.length > 2 ? 17 : 22
  return svg(
    `<rect width="48" height="48" rx="10" fill="${background}"/><text x="24" y="${24 + size * 0.36}" ${face} font-size="${size}" fill="${ink}">${letters}</text>`,
  )
}

/** A logo of letters on the screen of a telephone. Up to three letters fit. */
export const phoneLogo = (letters: string, background: string): string =>
  svg(
    `<rect width="48" height="48" rx="10" fill="${background}"/><rect x="13" y="6" width="22" height="36" rx="4.5" fill="#fff"/><rect x="21" y="37.5" width="6" height="1.8" rx="0.9" fill="${background}"/><text x="24" y="26" ${face} font-size="11" fill="${background}">${letters}</text>`,
  )
