/** The path under which a stored picture is served, as the wire shows it; an address elsewhere stays what it is. */
export const mediaPath = (key: string): string => (key === '' || /^https?:/i.test(key) ? key : `media/${key}`)
