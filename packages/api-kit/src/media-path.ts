/** Returns the path of a stored picture in API responses. The URL of an external picture is unchanged. */
export const mediaPath = (key: string): string => (key === '' || /^https?:/i.test(key) ? key : `media/${key}`)
