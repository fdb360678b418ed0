const endOf = (text: string, dropped: string): number => {
  let end = text.length
  while (end > 0 && dropped.includes(text.charAt(end - 1))) end -= 1
  return end
}

/** Removes all trailing characters that are in `dropped`, in linear time. */
export const withoutEnd = (text: string, dropped: string): string => text.slice(0, endOf(text, dropped))

/** Removes all leading and trailing characters that are in `dropped`, in linear time. */
export const withoutEnds = (text: string, dropped: string): string => {
  const end = endOf(text, dropped)
  let start = 0
  while (start < end && dropped.includes(text.charAt(start))) start += 1
  return text.slice(start, end)
}
