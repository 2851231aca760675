/** A channel of an organization on the marketplace: the two path segments, not encoded. */
export interface ChannelRef {
  readonly org: string
  readonly channel: string
}

/** `org/slug`: the name of a channel in the database, in logs and on the command line. */
export const channelKey = ({ org, channel }: ChannelRef): string => `${org}/${channel}`
