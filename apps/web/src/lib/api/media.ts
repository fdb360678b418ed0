import { withoutEnd } from '@tributary/kernel/text-ends'

/** The base URL of relative media paths: a path of the same origin, unless the build was given another URL. */
const configured = {
  base: import.meta.env.VITE_MEDIA_BASE ?? '/',
  buildHash: import.meta.env.VITE_BUILD_HASH ?? '',
}

/** The maximum width and height of a requested picture, in CSS pixels. */
export type MediaSize = { maxHeight: number; maxWidth: number }

/**
 * Returns the URL of a picture. A path is appended to the base URL; a complete URL (http…, data:, blob:) stays
 * unchanged. With a size, the URL requests a picture of at most that size. It then includes the build hash if there is
 * one, so that a cached picture of an old build is not used. An empty path gives ''.
 */
export const mediaUrl = (
  path: string,
  size?: MediaSize,
  { base, buildHash }: { base: string; buildHash: string } = configured,
): string => {
  if (path === '' || /^(http|data:|blob:)/i.test(path)) return path
  const query = new URLSearchParams()
  if (size !== undefined) {
    query.set('max-h', String(size.maxHeight))
    query.set('max-w', String(size.maxWidth))
    if (buildHash !== '') query.set('hash', buildHash)
  }
  const address = `${withoutEnd(base, '/')}/${path.replace(/^\/+/, '')}`
  const text = query.toString()
  return text === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${text}`
}
