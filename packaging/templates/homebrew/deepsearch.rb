class Deepsearch < Formula
  desc "{{summary}}"
  homepage "{{repository}}"
  version "{{version}}"
  license "{{licence}}"

  on_macos do
    on_arm do
      url "{{repository}}/releases/download/v{{version}}/deepsearch-{{version}}-aarch64-apple-darwin.tar.gz"
      sha256 "{{sha256 deepsearch-VERSION-aarch64-apple-darwin.tar.gz}}"
    end
    on_intel do
      url "{{repository}}/releases/download/v{{version}}/deepsearch-{{version}}-x86_64-apple-darwin.tar.gz"
      sha256 "{{sha256 deepsearch-VERSION-x86_64-apple-darwin.tar.gz}}"
    end
  end

  on_linux do
    on_arm do
      url "{{repository}}/releases/download/v{{version}}/deepsearch-{{version}}-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 deepsearch-VERSION-aarch64-unknown-linux-gnu.tar.gz}}"
    end
    on_intel do
      url "{{repository}}/releases/download/v{{version}}/deepsearch-{{version}}-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 deepsearch-VERSION-x86_64-unknown-linux-gnu.tar.gz}}"
    end
  end

  def install
    bin.install "deepsearch"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/deepsearch.bash" => "deepsearch"
    zsh_completion.install "completions/_deepsearch"
    fish_completion.install "completions/deepsearch.fish"
    doc.install "THIRD-PARTY.txt", "config.example.toml", "examples", "models"
  end

  test do
    (testpath/"docs/lamp.md").write "# Lamp\n\nThe lamp was built by Anna Weber in 1931.\n"
    ENV["DEEPSEARCH_DATA_DIR"] = testpath/"data"
    system bin/"deepsearch", "--offline", "load", "docs"
    assert_match "Anna Weber", shell_output("#{bin}/deepsearch --offline search 'who built the lamp'")
  end
end
