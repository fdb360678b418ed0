/** The picture of the catalogue: a bucket. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke-linejoin="round"><path d="M8 12l4.5 26c.4 2.600 5.500 4 11.500 4s11.100-1.400 11.500-4L40 12" fill="#4f9a4a" stroke="#2f6b2c" stroke-width="2"/><ellipse cx="24" cy="12" rx="16" ry="6" fill="#7cc076" stroke="#2f6b2c" stroke-width="2"/><circle cx="24" cy="27" r="3" fill="#fff"/><path d="M24 27l14 6" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>
`
