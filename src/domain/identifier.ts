/**
 * Whether an identifier can be part of a URL. Servers and proxies resolve `.` and `..` even when percent-encoded, so the
 * request would reach another resource, and a lone surrogate cannot be encoded.
 */
export const isAddressable = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)
