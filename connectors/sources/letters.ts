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
    `<rect width="48" height="48" rx="10" fill="${background}"/><rect x="9" y="3" width="30" height="42" rx="6" fill="#fff"/><rect x="20" y="39.5" width="8" height="2" rx="1" fill="${background}"/><text x="24" y="27" ${face} font-size="15" fill="${background}">${letters}</text>`,
  )
