/** An email address as an identifier: letter case is nobody's difference. Undefined for what is none. */
export const emailOf = (text: string): string | undefined => {
  const address = text.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) ? address : undefined
}

/** A phone number as an identifier, by its digits. Without a country it is the number of many, and none: undefined. */
export const phoneOf = (text: string): string | undefined => {
  const number = text.replace(/[\s().-]/g, '').replace(/^00/, '+')
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined
}
