const units = ['bytes', 'KB', 'MB', 'GB'] as const

/** Formats a number of bytes in the largest unit that gives at least 1, with at most three digits: `1.5 MB`. */
export const bytesText = (bytes: number): string => {
  const place = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** place
  const digits = place === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })} ${units[place]}`
}
