/** A message in a channel, drawn for this project. */
export const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#611f69"/><g fill="none" stroke-width="4" stroke-linecap="round"><path d="M20 10l-3 28" stroke="#36c5f0"/><path d="M31 10l-3 28" stroke="#2eb67d"/><path d="M11 19h27" stroke="#ecb22e"/><path d="M10 30h27" stroke="#e01e5a"/></g></svg>'
