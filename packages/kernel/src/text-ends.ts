const endOf = (text: string, dropped: string): number => {
  let end = text.length
  while (end > 0 && dropped.includes(text.charAt(end - 1))) end -= 1
  return end
}

/** A text without those of its last characters that are among `dropped`, in linear time. */
export const withoutEnd = (text: string, dropped: string): string => text.slice(0, endOf(text, dropped))

/** A text without those of its first and last characters that are among `dropped`, in linear time. */
export const withoutEnds = (text: string, dropped: string): string => {
  const end = endOf(text, dropped)
  let start = 0
  while (start < end && dropped.includes(text.charAt(start))) start += 1
  return text.slice(start, end)
}
