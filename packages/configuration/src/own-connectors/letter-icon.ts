const colors = ['#b4453c', '#a3591b', '#7a6a12', '#3f7a2f', '#1f7a6b', '#2b6ca3', '#5b57b8', '#914a99']

/**
 * Returns the picture of an own connector as a data: address: the first letter or digit of its title on a color. Nothing
 * else of the title is part of it.
 */
export const letterIcon = (title: string): string => {
  const letter = /[\p{Letter}\p{Number}]/u.exec(title)?.[0].toUpperCase() ?? '?'
  const sum = Array.from(title).reduce((total, each) => (total * 31 + (each.codePointAt(0) ?? 0)) % 100_003, 7)
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">' +
    `<rect width="64" height="64" rx="12" fill="${colors[sum % colors.length]}"/>` +
    '<text x="32" y="44" font-family="sans-serif" font-size="34" font-weight="600" fill="#fff" text-anchor="middle">' +
    `${letter}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
