/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Base URL of relative media paths. By default, it is the root of the origin. */
  readonly VITE_MEDIA_BASE?: string
  /** The hash of this build, which distinguishes it from other builds in the URLs of pictures. */
  readonly VITE_BUILD_HASH?: string
}
